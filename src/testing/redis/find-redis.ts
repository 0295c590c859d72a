import { findExecutable } from '../executable.ts'

/** What to do when no Redis is found. */
export const HOW_TO_INSTALL_REDIS =
  'Install it with "apt-get install redis-server", or set PET_SANDBOX_TEST_REDIS=/path/to/redis-server.'

/** The path of the server: `PET_SANDBOX_TEST_REDIS`, else the first one in `PATH`; `undefined` when there is none. */
export function findRedis(): string | undefined {
  return process.env.PET_SANDBOX_TEST_REDIS || findExecutable(['redis-server', 'valkey-server'])
}
