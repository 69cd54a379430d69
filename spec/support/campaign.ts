/** How long random runs last, and from which seed: short in `make test`, long in `make campaign`. */

const isCampaign = process.env.CAMPAIGN === '1';

/** The one number or the other: `large` in a campaign. */
export const rounds = (small: number, large: number): number => (isCampaign ? large : small);

/** What SEED says, else a seed of this moment. */
export const seed = (): number => {
  const given = process.env.SEED;
  return given === undefined ? Date.now() % 2 ** 31 : Number(given);
};

/** SEED as an option of fast-check; without SEED it draws and prints one of its own. */
export const seedOption = (): { seed?: number } =>
  process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) };
