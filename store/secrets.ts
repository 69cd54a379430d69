import { createHash, randomBytes } from 'node:crypto';

/** A new secret: 256 random bits, base64url, behind a prefix that tells secret scanners what they found. */
export const newSecret = (prefix: string): string => `${prefix}${randomBytes(32).toString('base64url')}`;

/**
 * What is stored of a secret. SHA-256 without salt or work factor, because 256 random bits cannot be guessed; looking
 * the hash up by index also leaves no comparison whose time could tell anything.
 */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();
