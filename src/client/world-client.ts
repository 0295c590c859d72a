import type { CollectionCount, CollectionName, Health, JournalPage } from '../control/outputs.ts'
import { toForceRule } from '../forcing/force-rule.ts'
import type { Exchange } from '../journal/exchange.ts'
import { type ExchangeQuery, timeoutError } from '../journal/exchange-query.ts'
import type { RecordCollection, RecordQuery } from '../resources/behaviour/record-collection.ts'
import type { ListedOperation, NamedOperation } from '../sandbox/operation-details.ts'
import type { WorldReportOptions } from '../sandbox/world.ts'
import { type Duration, milliseconds } from '../time/duration.ts'
import {
  refuseUnknown,
  requireInteger,
  requireObject,
  UsageError,
} from '../validation/usage-error.ts'
import {
  type RemoteWorld,
  type RequestData,
  request,
  send,
  toIsoText,
  toQueryParameters,
} from './connection.ts'
import { NoExchangeError } from './errors.ts'
import { follow } from './follow.ts'
import { receive } from './receive.ts'
import type {
  ClientClock,
  ClientEvents,
  ClientJournal,
  ClientSignIn,
  SandboxClient,
} from './sandbox-client.ts'

/** Creates the client of one world. */
export function createWorldClient(remote: RemoteWorld): SandboxClient {
  const journal = createJournal(remote)
  const health = (): Promise<Health> => request(remote, 'getHealth')

  return {
    name: remote.world ?? 'default',
    clock: createClock(remote),
    journal,
    events: createEvents(remote),
    signIn: createSignIn(remote),
    health,
    ready: async () => void (await health()),
    ...createOperations(remote),
    plans: () => request(remote, 'listPlans'),
    setPlan: (name, body) => send(remote, 'setPlan', { path: [name], body }),
    keys: () => request(remote, 'listKeys'),
    setKey: (key, given) => {
      const body = typeof given === 'string' ? { plan: given } : given
      return send(remote, 'setKey', { path: [key], body })
    },
    removeKey: (key) => send(remote, 'removeKey', { path: [key] }),
    accounts: () => request(remote, 'listAccounts'),
    setRemaining: (account, body) => request(remote, 'setRemaining', { path: [account], body }),
    liftBan: (account) => send(remote, 'liftBan', { path: [account] }),
    force: async (answer, rule) =>
      request(remote, 'forceOutcome', { body: toForceRule(answer, rule) }),
    forced: () => request(remote, 'listOutcomes'),
    unforce: (id) =>
      id === undefined
        ? send(remote, 'clearOutcomes')
        : send(remote, 'removeOutcome', { path: [id] }),
    scenarios: () => request(remote, 'listScenarios'),
    play: (name) => send(remote, 'playScenario', { path: [name] }),
    collection: (name: string) => createCollection(remote, name),
    ...createCollectionLists(remote),
    onExchange: async (listener, options = {}) => {
      refuseUnknown('onExchange', options, ['after'])
      const { after = await journal.last() } = options
      return follow(remote, requireInteger('after', after, 0), listener)
    },
    describeCollection: async (name, options = {}) => {
      refuseUnknown('describeCollection', options, ['links'])
      const query = toQueryParameters([['links', options.links]])
      return request(remote, 'describeCollection', { path: [name], query })
    },
    report: async (options = {}) => request(remote, 'getReport', reportData(options)),
    reportAs: async (format, options = {}) => {
      const { connection, world } = remote
      return connection.text(world, 'getReport', reportData(options, format))
    },
    snapshot: () => request(remote, 'takeSnapshot', { isLong: true }),
    restore: (snapshot) => send(remote, 'restoreSnapshot', { body: snapshot }),
    reset: () => send(remote, 'reset'),
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
      await send(defaultWorld, 'createWorld', { body: { name, ...options } })
      return createWorldClient({ connection, world: name })
    },
    worlds: {
      list: () => request(defaultWorld, 'listWorlds'),
      dropped: () => request(defaultWorld, 'listDroppedWorlds'),
      delete: (name) => isFound(send(defaultWorld, 'removeWorld', { path: [name] })),
    },
  }
}

/** Creates the methods for the operations of the API. */
function createOperations(
  remote: RemoteWorld,
): Pick<SandboxClient, 'operations' | 'operation' | 'sampleRequest' | 'checkRequest'> {
  return {
    operations: createOperationList(remote),
    operation: async (id, options = {}) => {
      refuseUnknown('operation', options, ['diagnostics', 'texts'])
      const query = toQueryParameters([
        ['diagnostics', options.diagnostics],
        ['texts', options.texts],
      ])
      return request(remote, 'getOperation', { path: [id], query })
    },
    sampleRequest: async (id, options = {}) => {
      refuseUnknown('sampleRequest', options, ['key'])
      const query = toQueryParameters([['key', options.key]])
      return request(remote, 'sampleRequest', {
        path: [id],
        query,
      })
    },
    checkRequest: async (id, body) =>
      (await request(remote, 'checkRequest', { path: [id], body })).errors,
  }
}

/** Resolves with the answer, or with `undefined` when the sandbox does not have what was asked for. */
async function ifFound<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof UsageError && error.code === 'not_found') return undefined
    throw error
  }
}

/** Resolves with whether the sandbox has what the request is for. */
async function isFound(sent: Promise<void>): Promise<boolean> {
  return (await ifFound(sent.then(() => true))) ?? false
}

/** A record of any collection. */
type StoredRecord = Awaited<ReturnType<RecordCollection['create']>>

function createCollection(remote: RemoteWorld, name: string): RecordCollection {
  const pathOf = (id: number | string): { path: readonly (number | string)[] } => ({
    path: [name, id],
  })
  /** Resolves with `undefined` for an unknown record. Rejects with a UsageError for an unknown collection. */
  const recordIfFound = async <Answer>(answer: Promise<Answer>): Promise<Answer | undefined> => {
    const found = await ifFound(answer)
    if (found === undefined) await countRecords(remote, name)
    return found
  }

  return {
    count: () => countRecords(remote, name),
    list: async (query = {}) => {
      refuseUnknown('list', query, ['where', 'skip', 'limit'])
      if (query.where !== undefined) requireObject(`list ${name}`, query.where)
      if (Object.values(query.where ?? {}).some(isEmptyList)) return []
      return request(remote, 'listRecords', {
        path: [name],
        query: toRecordQuery(query),
        isLong: true,
      })
    },
    get: (id) => recordIfFound(request(remote, 'getRecord', pathOf(id))),
    create: (body) => request(remote, 'createRecord', { path: [name], body }),
    update: (id, body) => request(remote, 'updateRecord', { ...pathOf(id), body }),
    remove: async (id) => {
      const removal = send(remote, 'removeRecord', pathOf(id))
      return (await recordIfFound(removal.then(() => true))) ?? false
    },
  }
}

/** The names of the collections that are selected. */
async function nameCollections(
  remote: RemoteWorld,
  selected: readonly [name: string, value: unknown],
): Promise<readonly string[]> {
  const query = toQueryParameters([selected])
  return (await request(remote, 'listCollections', { query })).map(({ name }) => name)
}

function createOperationList(remote: RemoteWorld): SandboxClient['operations'] {
  function list(options: { readonly behaviours: false }): Promise<readonly NamedOperation[]>
  function list(options?: OperationListOptions): Promise<readonly ListedOperation[]>
  async function list(
    options: OperationListOptions = {},
  ): Promise<readonly (ListedOperation | NamedOperation)[]> {
    refuseUnknown('operations', options, ['diagnostics', 'behaviours'])
    const { diagnostics, behaviours } = options
    const query = toQueryParameters([
      ['diagnostics', diagnostics],
      ['behaviours', behaviours],
    ])
    return request(remote, 'listOperations', { query })
  }
  return list
}

interface OperationListOptions {
  readonly diagnostics?: boolean
  readonly behaviours?: boolean
}

type ListedCollections = readonly (CollectionCount | CollectionName)[]

function createCollectionLists(
  remote: RemoteWorld,
): Pick<SandboxClient, 'collections' | 'collectionsTo' | 'collectionCounts'> {
  return {
    collections: () => nameCollections(remote, ['counts', false]),
    collectionsTo: (name) => nameCollections(remote, ['to', name]),
    collectionCounts: createCounts(remote),
  }
}

function createCounts(remote: RemoteWorld): SandboxClient['collectionCounts'] {
  function count(options: { readonly wait: number }): Promise<ListedCollections>
  function count(): Promise<readonly CollectionCount[]>
  async function count(options: { readonly wait?: number } = {}): Promise<ListedCollections> {
    refuseUnknown('collectionCounts', options, ['wait'])
    const query = toQueryParameters([['wait', options.wait]])
    return request(remote, 'listCollections', { query })
  }
  return count
}

/** The number of records of a collection. Rejects with a UsageError when it is unknown. */
async function countRecords(remote: RemoteWorld, name: string): Promise<number> {
  const query = toQueryParameters([['collection', name]])
  try {
    const [found] = await request(remote, 'listCollections', { query })
    return found?.count ?? 0
  } catch (error) {
    if (!(error instanceof UsageError && error.code === 'not_found')) throw error
    const { reason, help, suggestion, allowed } = error
    throw new UsageError({
      code: 'unknown_collection',
      task: 'open the collection',
      ...{ reason, help, suggestion, allowed },
    })
  }
}

/** Whether a list of values is empty. Then no record matches. */
function isEmptyList(values: unknown): boolean {
  return Array.isArray(values) && values.length === 0
}

function toRecordQuery({ where = {}, skip, limit }: RecordQuery<StoredRecord>): URLSearchParams {
  const filters = Object.entries(where).flatMap(([property, values]) =>
    [values].flat().map((value) => [property, value] as const),
  )
  return toQueryParameters([...filters, ['skip', skip], ['limit', limit]])
}

function createClock(remote: RemoteWorld): ClientClock {
  const time = () => request(remote, 'getClock')
  const move = (body: object): Promise<void> => send(remote, 'moveClock', { body })

  return {
    isFrozen: async () => (await time()).frozen,
    now: async () => Date.parse((await time()).now),
    advance: (duration) => move({ advance: toDuration(duration) }),
    set: (instant) => move({ set: toIsoText(instant) }),
    freeze: () => move({ freeze: true }),
    resume: () => move({ resume: true }),
    advanceToReset: (key) => move({ advanceToReset: key }),
    advanceToBanEnd: (key) => move({ advanceToBanEnd: key }),
    advanceToRemoval: (operation) => move({ advanceToRemoval: operation }),
  }
}

/** A duration that JSON can represent. `NaN` and `Infinity` are sent as text, and the sandbox refuses them. */
function toDuration(duration: Duration): number | string {
  if (typeof duration === 'string') return duration
  return Number.isFinite(duration) ? Math.round(duration) : String(duration)
}

/** The longest wait that the control interface allows at a time, in milliseconds. */
const MAX_WAIT = 60_000

/** The longest wait for deliveries, in milliseconds. */
const MAX_SETTLE = 30_000

function createEvents(remote: RemoteWorld): ClientEvents {
  return {
    deliveries: async (query = {}) => {
      refuseUnknown('deliveries', query, ['type', 'state'])
      return request(remote, 'listDeliveries', {
        query: toQueryParameters(Object.entries(query)),
        isLong: true,
      })
    },
    emit: async (type, data) =>
      request(remote, 'emitEvent', { body: { type, ...(data !== undefined && { data }) } }),
    next: async (type, options = {}) => {
      refuseUnknown('next', options, ['timeout'])
      const timeout = Math.max(0, Math.min(milliseconds(options.timeout ?? '5s'), MAX_WAIT))
      return request(remote, 'waitForEvent', {
        query: toQueryParameters([
          ['type', type],
          ['timeout', timeout],
        ]),
        extraTimeout: timeout,
      })
    },
    trigger: (type) => request(remote, 'emitEvent', { body: { type, newRecord: true } }),
    receive: (url, deliver = (sent) => fetch(sent)) => receive(remote, url, deliver),
    settled: () => request(remote, 'settleDeliveries', { extraTimeout: MAX_SETTLE }),
    resend: async (id, options = {}) => {
      refuseUnknown('resend', options, ['fault'])
      const query = toQueryParameters(Object.entries(options))
      return request(remote, 'resendDelivery', { path: [id], query })
    },
    subscriptions: () => request(remote, 'listSubscriptions'),
  }
}

function createSignIn(remote: RemoteWorld): ClientSignIn {
  return {
    info: () => request(remote, 'getSignIn'),
    users: () => request(remote, 'listSignInUsers'),
    tokens: async (query = {}) => {
      refuseUnknown('tokens', query, ['user', 'state'])
      return request(remote, 'listTokens', { query: toQueryParameters(Object.entries(query)) })
    },
    as: async (user, options = {}) => {
      refuseUnknown('signIn.as', options, ['client', 'scopes', 'plan'])
      return request(remote, 'issueToken', {
        body: { ...(user !== undefined && { user }), ...options },
      })
    },
    revoke: (grant) => isFound(send(remote, 'revokeGrant', { path: [grant] })),
  }
}

function createJournal(remote: RemoteWorld): ClientJournal {
  const find = (query: ExchangeQuery = {}): Promise<JournalPage> =>
    request(remote, 'findExchanges', { query: toQuery(query), isLong: true })
  /** The counts alone: no exchange is after the greatest possible id. */
  const counts = (): Promise<JournalPage> => find({ after: Number.MAX_SAFE_INTEGER })

  return {
    exchanges: async () => (await find()).exchanges,
    last: async () => (await counts()).last,
    dropped: async () => (await counts()).dropped,
    get: (id) => ifFound(request(remote, 'getExchange', { path: [id] })),
    find: async (query) => (await find(query)).exchanges,
    waitFor: async (query = {}, options = {}) => {
      refuseUnknown('waitFor', options, ['timeout'])
      const { timeout = '5s' } = options
      return waitFor(remote, query, milliseconds(timeout)).catch((error: unknown) => {
        throw error instanceof NoExchangeError ? timeoutError(timeout, query, error.latest) : error
      })
    },
    toHar: async (query = {}) =>
      request(remote, 'exportHar', { query: toQuery(query), isLong: true }),
  }
}

/** Splits a long wait into several requests. Exchanges between two requests are in the journal. */
async function waitFor(
  remote: RemoteWorld,
  query: ExchangeQuery,
  length: number,
): Promise<Exchange> {
  const patience = Math.max(0, Math.min(length, MAX_WAIT))
  const search = toQuery(query)
  search.set('timeout', String(patience))
  const found = request(remote, 'waitForExchange', {
    query: search,
    extraTimeout: patience,
  })
  if (length <= MAX_WAIT) return found

  return found.catch((error: unknown) => {
    if (error instanceof NoExchangeError) return waitFor(remote, query, length - patience)
    throw error
  })
}

function toQuery(given: ExchangeQuery): URLSearchParams {
  requireObject('search the journal', given)
  const { since, until, ...query } = given
  return toQueryParameters([
    ...Object.entries(query),
    ['since', since === undefined ? undefined : toIsoText(since)],
    ['until', until === undefined ? undefined : toIsoText(until)],
  ])
}
