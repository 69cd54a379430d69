/** Waiting for the end of a program that runs until it is stopped. */

const PARENT_CHECK_MS = 500;

/**
 * Resolves at SIGINT or SIGTERM, and with `withParent` also when the process that started this one is gone, even
 * by SIGKILL: a child of `make` must not outlive it. A second signal ends the process at once.
 */
export function stopRequested(options: { readonly withParent: boolean }): Promise<string> {
  return new Promise((resolve) => {
    const parent = process.ppid;
    const watch = options.withParent
      ? setInterval(() => {
          if (process.ppid !== parent) stop('parent gone');
        }, PARENT_CHECK_MS)
      : undefined;
    const stop = (reason: string): void => {
      clearInterval(watch);
      process.on('SIGINT', () => process.exit(130));
      process.on('SIGTERM', () => process.exit(143));
      resolve(reason);
    };
    // A program that could not start ends by itself; the watch alone must not keep it.
    watch?.unref();
    process.once('SIGINT', () => stop('SIGINT'));
    process.once('SIGTERM', () => stop('SIGTERM'));
  });
}
