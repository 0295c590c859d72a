import { describe, expect, test } from 'vitest'
import { createService } from '../engine/service.ts'
import { createWorldState, type WorldState } from '../engine/world-state.ts'
import { scenarios } from '../generated/fixtures.ts'
import { resolveOptions } from '../sandbox/options.ts'
import { withoutRecords } from '../sandbox/snapshot.ts'
import { newEpochOf } from './epochs.ts'
import { changesOf, stateOf } from './state-changes.ts'
import { CapturedJournal } from './stored-exchange.ts'
import type { LoadedWorld } from './world-store.ts'

const service = createService(resolveOptions())
const [scenarioName = ''] = Object.keys(scenarios)

describe('stateOf', () => {
  test('gives the state that was stored', async () => {
    const { loaded, before, state } = await stored((created) => {
      created.clock.set('2030-12-05T10:00:00Z')
      created.keys.setPlan('free', { minute: 7 })
      created.limits.spend(created.keys.callerOf(someKey(created)), created.clock.now(), {
        minute: 3,
      })
      created.rules.add({ outcome: 'slow', times: 3 }, service.settings.contract, created.keys)
    })

    const { frozenAt } = before.clock
    const clock = { offset: expect.any(Number), frozenAt }
    expect(withoutRecords(state)).toEqual({ ...before, clock })
    expect(changesOf(loaded, state)).toEqual({})
  })

  test('gives the start of a scenario', async () => {
    const { before, state } = await stored(() => undefined, scenarioName)

    expect({ ...withoutRecords(state), clock: 0 }).toEqual({ ...before, clock: 0 })
  })

  test('has a running clock that follows the clock of the store', async () => {
    const { state } = await stored(() => undefined, undefined, 60_000)

    expect(Math.abs(state.clock.now() - Date.now() - 60_000)).toBeLessThan(1000)
  })

  test('throws for a configuration that no server wrote', async () => {
    const { loaded } = await stored(() => undefined)

    await expect(load({ ...loaded, text: '{"keys":1}' })).rejects.toThrow(/cannot be read/)
  })
})

describe('changesOf', () => {
  test('has a moved clock relative to the clock of the store', async () => {
    const { loaded, state } = await stored(() => undefined, undefined, 60_000)

    state.clock.advance('1h')

    const { clock, ...others } = changesOf(loaded, state)
    expect(Math.abs((clock?.offset ?? 0) - 3_600_000)).toBeLessThan(1000)
    expect(others).toEqual({})
  })

  test('has the accounts, rules and plans that differ, with what they replace', async () => {
    const { loaded, state } = await stored((created) => {
      created.rules.add({ outcome: 'slow' }, service.settings.contract, created.keys)
    })
    const caller = state.keys.callerOf(someKey(state))

    state.limits.spend(caller, 0, { minute: 1 })
    state.rules.remove(1)

    const usage = { minute: { window: 0, used: 1 }, day: { window: 0, used: 0 } }
    expect(changesOf(loaded, state)).toEqual({
      text: expect.stringContaining('"list":[]'),
      accounts: [{ key: caller.account, before: undefined, after: { usage } }],
      rules: [{ key: 1, before: loaded.rules.get(1), after: undefined }],
    })
  })

  test('leaves the configuration as it is when a rule was forced often enough', async () => {
    const { loaded } = await stored((created) => {
      created.rules.add({ outcome: 'slow', times: 1 }, service.settings.contract, created.keys)
    })
    const spent = { ...loaded, rules: new Map() }
    const state = await load(spent)

    expect(state.rules.list(service.settings.contract)).toEqual([])
    expect(changesOf(spent, state)).toEqual({})
  })
})

async function stored(
  change: (state: WorldState) => void,
  scenario?: string,
  lead = 0,
): Promise<{
  readonly loaded: LoadedWorld
  readonly before: ReturnType<typeof withoutRecords>
  readonly state: WorldState
}> {
  const start = scenario === undefined ? undefined : service.scenario(scenario)
  const created = createWorldState(service, new Set(), start)
  change(created)
  const loaded = {
    ...newEpochOf(created),
    version: 1,
    storeTime: Date.now() + lead,
    lead,
    isFollowed: false,
    told: 0,
    last: 0,
  }
  return { loaded, before: withoutRecords(created), state: await load(loaded) }
}

async function load(loaded: LoadedWorld): Promise<WorldState> {
  const store = await createWorldState(service, new Set()).openStore()
  return stateOf(service, new Set(), loaded, store, new CapturedJournal(0, service))
}

function someKey({ keys }: WorldState): string {
  const [first] = keys.list()
  return first?.key ?? ''
}
