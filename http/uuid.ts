const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True for the one spelling of a UUID that we answer to; PostgreSQL would take others, such as braces. */
export const isUuid = (text: string): boolean => UUID.test(text);
