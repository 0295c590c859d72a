import type { KeyInfo } from '../access/keys.ts'
import type { Plan } from '../access/plan.ts'
import type { ForcedOutcome } from '../forcing/rules.ts'
import type { Report } from '../report/report.ts'
import type { Snapshot } from '../sandbox/snapshot.ts'
import type { WorldReportOptions } from '../sandbox/world.ts'
import type { WorldInfo } from '../sandbox/worlds.ts'
import { refuseUnknown, requireObject, UsageError } from '../validation/usage-error.ts'
import { createClock } from './clock.ts'
import { createCollection, listCollections } from './collection.ts'
import { follow } from './follow.ts'
import { createJournal } from './journal.ts'
import { ask, type RemoteWorld, tell } from './remote-world.ts'
import type { Health, SandboxClient } from './sandbox-client.ts'
import { toSearch } from './wire.ts'

type Scenarios = Awaited<ReturnType<SandboxClient['scenarios']>>

/** A client of one world, by the line to its sandbox. */
export function steer(remote: RemoteWorld): SandboxClient {
  const journal = createJournal(remote)
  const health = (): Promise<Health> => ask<Health>(remote, 'GET /health')

  return {
    name: remote.world ?? 'default',
    clock: createClock(remote),
    journal,
    health,
    ready: async () => void (await health()),
    plans: () => ask<readonly Plan[]>(remote, 'GET /plans'),
    setPlan: (name, body) => tell(remote, 'PUT /plans/{plan}', { path: [name], body }),
    keys: () => ask<readonly KeyInfo[]>(remote, 'GET /keys'),
    setKey: (key, plan) => tell(remote, 'PUT /keys/{key}', { path: [key], body: { plan } }),
    removeKey: (key) => tell(remote, 'DELETE /keys/{key}', { path: [key] }),
    force: async (outcome, rule = {}) => {
      requireObject('force an outcome', rule)
      return ask<ForcedOutcome>(remote, 'POST /outcomes', { body: { ...rule, outcome } })
    },
    forced: () => ask<readonly ForcedOutcome[]>(remote, 'GET /outcomes'),
    unforce: (id) =>
      id === undefined
        ? tell(remote, 'DELETE /outcomes')
        : tell(remote, 'DELETE /outcomes/{id}', { path: [id] }),
    scenarios: () => ask<Scenarios>(remote, 'GET /scenarios'),
    play: (name) => tell(remote, 'POST /scenarios/{name}', { path: [name] }),
    collection: (name) => createCollection(remote, name),
    collections: async () => (await listCollections(remote)).map(({ name }) => name),
    onExchange: async (listener) => follow(remote, await journal.last(), listener),
    report: async (options = {}) => {
      requireObject('report', options)
      const query = toSearch(reportPairs(options))
      return ask<Report>(remote, 'GET /report', { query, isLong: true })
    },
    snapshot: () => ask<Snapshot>(remote, 'GET /snapshot', { isLong: true }),
    restore: (snapshot) => tell(remote, 'PUT /snapshot', { body: snapshot }),
    reset: () => tell(remote, 'POST /reset'),
    ...steerWorlds(remote),
  }
}

/** Lists of rules are separated by commas; an empty one is the group `none`. */
function reportPairs(options: WorldReportOptions): [name: string, value: unknown][] {
  return Object.entries(options).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(',') || 'none' : value,
  ])
}

/** Worlds are the sandbox's, whichever of them a client steers. */
function steerWorlds({ line }: RemoteWorld): Pick<SandboxClient, 'world' | 'worlds'> {
  const whole: RemoteWorld = { line, world: undefined }

  return {
    world: async (name, options = {}) => {
      refuseUnknown('world option', options, ['from'])
      await tell(whole, 'POST /worlds', { body: { name, ...options } })
      return steer({ line, world: name })
    },
    worlds: {
      list: () => ask<readonly WorldInfo[]>(whole, 'GET /worlds'),
      dropped: () => ask<readonly string[]>(whole, 'GET /dropped-worlds'),
      delete: async (name) => {
        try {
          await tell(whole, 'DELETE /worlds/{world}', { path: [name] })
          return true
        } catch (error) {
          if (error instanceof UsageError && error.code === 'not_found') return false
          throw error
        }
      },
    },
  }
}
