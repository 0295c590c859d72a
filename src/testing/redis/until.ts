import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves when it holds. The limit is that of the test. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(50)
}
