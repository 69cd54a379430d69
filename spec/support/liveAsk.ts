/** One GET with a token, and its parsed body. */
export async function ask(
  url: string,
  token: string,
): Promise<{ status: number; body: ReturnType<typeof JSON.parse> }> {
  const answer = await fetch(url, {
    headers: { Authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(20_000),
  });
  return { status: answer.status, body: JSON.parse(await answer.text()) };
}
