import type { NewEpoch } from '../../redis/world-store.ts'

/** An epoch of a world with nothing in it, besides what is given. */
export function newEpoch(epoch: string, given: Partial<NewEpoch> = {}): NewEpoch {
  return {
    epoch,
    text: '{}',
    clock: { offset: 0 },
    random: 1,
    accounts: new Map(),
    rules: new Map(),
    ...given,
  }
}
