import type { Plan } from '../access/callers.ts'
import type { KeyInfo } from '../access/keys.ts'
import type { CollectionDetails, Health } from '../control/outputs.ts'
import type { ForcedOutcome } from '../forcing/rules.ts'
import type { Report } from '../report/report.ts'
import type { Account } from '../sandbox/accounts.ts'
import type { Snapshot } from '../sandbox/snapshot.ts'
import type { WorldReportOptions } from '../sandbox/world.ts'
import type { WorldInfo } from '../sandbox/worlds.ts'
import {
  refuseUnknown,
  requireInteger,
  requireObject,
  UsageError,
} from '../validation/usage-error.ts'
import { createClock } from './clock.ts'
import { createCollection, listCollections } from './collection.ts'
import { type RemoteWorld, type RequestData, request, send } from './connection.ts'
import { follow } from './follow.ts'
import { createJournal } from './journal.ts'
import { createOperations } from './operations.ts'
import type { SandboxClient } from './sandbox-client.ts'
import { toQueryParameters } from './serialize.ts'

type Scenarios = Awaited<ReturnType<SandboxClient['scenarios']>>

/** Creates the client of one world. */
export function createWorldClient(remote: RemoteWorld): SandboxClient {
  const journal = createJournal(remote)
  const health = (): Promise<Health> => request<Health>(remote, 'GET /health')

  return {
    name: remote.world ?? 'default',
    clock: createClock(remote),
    journal,
    health,
    ready: async () => void (await health()),
    ...createOperations(remote),
    plans: () => request<readonly Plan[]>(remote, 'GET /plans'),
    setPlan: (name, body) => send(remote, 'PUT /plans/{plan}', { path: [name], body }),
    keys: () => request<readonly KeyInfo[]>(remote, 'GET /keys'),
    setKey: (key, plan) => send(remote, 'PUT /keys/{key}', { path: [key], body: { plan } }),
    removeKey: (key) => send(remote, 'DELETE /keys/{key}', { path: [key] }),
    accounts: () => request<readonly Account[]>(remote, 'GET /accounts'),
    setRemaining: (account, body) =>
      request<Account>(remote, 'PUT /accounts/{account}/remaining', { path: [account], body }),
    liftBan: (account) => send(remote, 'DELETE /accounts/{account}/ban', { path: [account] }),
    force: async (outcome, rule = {}) => {
      requireObject('force an outcome', rule)
      return request<ForcedOutcome>(remote, 'POST /outcomes', { body: { ...rule, outcome } })
    },
    forced: () => request<readonly ForcedOutcome[]>(remote, 'GET /outcomes'),
    unforce: (id) =>
      id === undefined
        ? send(remote, 'DELETE /outcomes')
        : send(remote, 'DELETE /outcomes/{id}', { path: [id] }),
    scenarios: () => request<Scenarios>(remote, 'GET /scenarios'),
    play: (name) => send(remote, 'POST /scenarios/{name}', { path: [name] }),
    collection: (name: string) => createCollection(remote, name),
    collections: async () => (await listCollections(remote)).map(({ name }) => name),
    onExchange: async (listener, options = {}) => {
      refuseUnknown('onExchange', options, ['after'])
      const { after = await journal.last() } = options
      return follow(remote, requireInteger('after', after, 0), listener)
    },
    collectionCounts: () => listCollections(remote),
    describeCollection: (name) =>
      request<CollectionDetails>(remote, 'GET /collections/{collection}', { path: [name] }),
    report: async (options = {}) => request<Report>(remote, 'GET /report', reportData(options)),
    reportAs: async (format, options = {}) => {
      const { connection, world } = remote
      return connection.text(world, 'GET /report', reportData(options, format))
    },
    snapshot: () => request<Snapshot>(remote, 'GET /snapshot', { isLong: true }),
    restore: (snapshot) => send(remote, 'PUT /snapshot', { body: snapshot }),
    reset: () => send(remote, 'POST /reset'),
    ...createWorlds(remote),
  }
}

function reportData(options: WorldReportOptions, format?: string): RequestData {
  requireObject('report', options)
  const query = toQueryParameters([...reportPairs(options), ['format', format]])
  return { query, isLong: true }
}

/** The options as query parameters. Lists of rules are separated by commas. An empty list is the group `none`. */
function reportPairs(options: WorldReportOptions): [name: string, value: unknown][] {
  return Object.entries(options).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(',') || 'none' : value,
  ])
}

/** The methods for worlds, which always use the default world's control interface. */
function createWorlds({ connection }: RemoteWorld): Pick<SandboxClient, 'world' | 'worlds'> {
  const defaultWorld: RemoteWorld = { connection, world: undefined }

  return {
    world: async (name, options = {}) => {
      refuseUnknown('world', options, ['from'])
      await send(defaultWorld, 'POST /worlds', { body: { name, ...options } })
      return createWorldClient({ connection, world: name })
    },
    worlds: {
      list: () => request<readonly WorldInfo[]>(defaultWorld, 'GET /worlds'),
      dropped: () => request<readonly string[]>(defaultWorld, 'GET /dropped-worlds'),
      delete: async (name) => {
        try {
          await send(defaultWorld, 'DELETE /worlds/{world}', { path: [name] })
          return true
        } catch (error) {
          if (error instanceof UsageError && error.code === 'not_found') return false
          throw error
        }
      },
    },
  }
}
