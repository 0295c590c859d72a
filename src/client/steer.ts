import type { KeyInfo } from '../access/keys.ts'
import type { Plan } from '../access/plan.ts'
import type { ForcedOutcome } from '../sandbox/rules.ts'
import type { Snapshot } from '../sandbox/snapshot.ts'
import type { WorldInfo } from '../sandbox/worlds.ts'
import { UsageError } from '../usage-error.ts'
import { createClock } from './clock.ts'
import { createCollection, listCollections } from './collection.ts'
import { follow } from './follow.ts'
import { createJournal } from './journal.ts'
import { ask, type Place, tell } from './place.ts'
import type { Health, SandboxClient } from './sandbox-client.ts'

type Scenarios = Awaited<ReturnType<SandboxClient['scenarios']>>

/** A client of one world, by the line to its sandbox. */
export function steer(place: Place): SandboxClient {
  const journal = createJournal(place)
  const health = (): Promise<Health> => ask<Health>(place, 'GET /health')

  return {
    name: place.world ?? 'default',
    clock: createClock(place),
    journal,
    health,
    ready: async () => void (await health()),
    plans: () => ask<readonly Plan[]>(place, 'GET /plans'),
    setPlan: (name, body) => tell(place, 'PUT /plans/{plan}', { path: [name], body }),
    keys: () => ask<readonly KeyInfo[]>(place, 'GET /keys'),
    setKey: (key, plan) => tell(place, 'PUT /keys/{key}', { path: [key], body: { plan } }),
    removeKey: (key) => tell(place, 'DELETE /keys/{key}', { path: [key] }),
    force: (outcome, rule = {}) =>
      ask<ForcedOutcome>(place, 'POST /outcomes', { body: { outcome, ...rule } }),
    forced: () => ask<readonly ForcedOutcome[]>(place, 'GET /outcomes'),
    unforce: (id) =>
      id === undefined
        ? tell(place, 'DELETE /outcomes')
        : tell(place, 'DELETE /outcomes/{id}', { path: [id] }),
    scenarios: () => ask<Scenarios>(place, 'GET /scenarios'),
    play: (name) => tell(place, 'POST /scenarios/{name}', { path: [name] }),
    collection: (name) => createCollection(place, name),
    collections: async () => (await listCollections(place)).map(({ name }) => name),
    onExchange: async (listener) => follow(place, await journal.last(), listener),
    snapshot: () => ask<Snapshot>(place, 'GET /snapshot'),
    restore: (snapshot) => tell(place, 'PUT /snapshot', { body: snapshot }),
    reset: () => tell(place, 'POST /reset'),
    ...steerWorlds(place),
  }
}

/** Worlds are the sandbox's, whichever of them a client steers. */
function steerWorlds({ line }: Place): Pick<SandboxClient, 'world' | 'worlds'> {
  const whole: Place = { line, world: undefined }

  return {
    world: async (name, options = {}) => {
      await tell(whole, 'POST /worlds', { body: { name, ...options } })
      return steer({ line, world: name })
    },
    worlds: {
      list: () => ask<readonly WorldInfo[]>(whole, 'GET /worlds'),
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
