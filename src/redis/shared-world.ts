import { type Caller, identify } from '../access/callers.ts'
import type { Keys } from '../access/keys.ts'
import type { Usage } from '../access/quota.ts'
import { answer } from '../engine/answer.ts'
import { callerOf, mayBeIssued } from '../engine/caller.ts'
import type { Service } from '../engine/service.ts'
import { rejectUnparsed } from '../engine/unrecorded-responses.ts'
import {
  createWorldState,
  recordedExchange,
  WorldHandle,
  type WorldState,
} from '../engine/world-state.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import type { Problem } from '../http/problem.ts'
import type { Exchange } from '../journal/exchange.ts'
import type { JournalListener } from '../journal/journal.ts'
import { SharedReads } from '../records/read-cache.ts'
import type { FirstState } from '../records/stored-records.ts'
import { Transaction } from '../records/transaction.ts'
import { RecentCollections } from '../resources/store/recent-collections.ts'
import type { Store } from '../resources/store/store.ts'
import { createSharedStore } from '../resources/store/transaction-collections.ts'
import { SandboxWorld } from '../sandbox/sandbox-world.ts'
import type { UsedWorld } from '../sandbox/world-host.ts'
import { OWN_WORLD } from '../sandbox/worlds.ts'
import { Clock, realNow } from '../time/clock.ts'
import { delay } from '../time/duration.ts'
import { areEqual } from '../validation/objects.ts'
import { type ArrivedRequest, type CommittedRequest, commitRequest } from './commit-request.ts'
import {
  type PreparedConfiguration,
  prepareConfiguration,
  type SharedService,
  unknownConfiguration,
} from './configuration.ts'
import { untilKept } from './contention.ts'
import {
  createRequestState,
  planRequest,
  planWithoutKey,
  type RequestPlan,
  toArrival,
} from './decide-request.ts'
import { epochStart, newEpochOf } from './epochs.ts'
import { openStoredJournal } from './opened-world.ts'
import { loadEvents } from './stored-events.ts'
import { followLog } from './stored-streams.ts'
import type {
  ArrivalResult,
  Arrived,
  StoredAccount,
  StoredWorld,
  WorldGroup,
} from './world-store.ts'

/** The records of an epoch. */
type WorldRecords = Pick<ArrivedRequest, 'epoch' | 'records' | 'reads' | 'first'>

/** A world in the store. It keeps nothing but the latest configuration and records that it saw, which every arrival verifies. */
export class SharedWorld {
  readonly name: string
  readonly #stored: StoredWorld
  readonly #shared: SharedService
  readonly #start: WorldStart
  #configuration: PreparedConfiguration
  #records: WorldRecords | undefined

  constructor(name: string, shared: SharedService, start: WorldStart) {
    this.name = name
    this.#stored = shared.store.world(name)
    this.#shared = shared
    this.#start = start
    this.#configuration = unknownConfiguration(shared)
  }

  /** The keys of the world, as far as this instance knows. */
  get keys(): Keys {
    return this.#configuration.keys
  }

  /**
   * Answers a request: what it depends on is loaded and decided on as in memory, and what it changes is committed at once.
   * Resolves with `undefined` when the choice of the world is outdated.
   */
  async answer(given: CoreRequest, choice: Choice = {}): Promise<CoreResponse | undefined> {
    // What a request changes is saved by a commit only.
    const { saveChanges: _, settle: _former, ...request } = given
    const answered = await untilKept(this.name, () => this.#answerOnce(request, choice))

    return answered.response
  }

  /** Resolves with `undefined` when the request has to arrive again: the configuration was another one, or the epoch has ended. */
  async #answerOnce(
    request: CoreRequest,
    choice: Choice,
  ): Promise<{ readonly response?: CoreResponse } | undefined> {
    const { service } = this.#shared
    const configuration = this.#configuration
    const { epoch } = configuration
    const keys = choice.keys ?? configuration.keys
    const caller = choice.caller ?? (await this.callerOf(request, keys))
    const plan = planRequest(request, configuration, service, caller)
    const arrived = await this.#arrive(plan, configuration, choice)
    if (arrived === 'refused') {
      return {
        response: await answerUnkept(request, service, this.#start.onExchange, choice.caller),
      }
    }
    const isPresent = (await choice.isPresent) !== false
    if (!arrived) return isPresent && !(choice.isByOwnKeys && epoch !== '') ? undefined : {}
    if (!isPresent) {
      await withdrawArrival(this.#stored, epoch, plan.caller.account, arrived)
      return {}
    }
    if (plan.mayCreate) this.#start.onUse(choice.group)
    const loaded = {
      request: delivered(request, arrived, this.#shared),
      plan,
      keys,
      arrived,
      events: this.#shared.events.of(this.name),
      receivers: configuration.receivers,
      follow: this.#follow(configuration),
      isCallerOfOtherWorld: choice.caller !== undefined,
      ...this.#recordsOf(configuration),
    }
    const committed = await commitRequest(loaded, this.#stored, this.#shared)
    if (committed) return { response: await this.#finish(request, arrived, committed) }
    // The epoch has ended, with all that was counted in it. The keys may have changed, too.
    return choice.keys ? {} : undefined
  }

  /** The caller of a request. That of a token which was issued is known to the records of the world only, which are read first. */
  async callerOf(request: CoreRequest, keys: Keys): Promise<Caller> {
    const { service } = this.#shared
    const caller = identify(request, keys.callers, service.access.rules.schemes)
    const loaded = mayBeIssued(caller, service) ? await this.#stored.load() : undefined
    if (!loaded) return caller
    const { epoch, clock: state, storeTime } = loaded
    const clock = new Clock()
    clock.restore({ offset: 0, frozenAt: state.frozenAt ?? storeTime + state.offset })
    const openStore = async (): Promise<Store> => {
      const transaction = new Transaction(this.#stored.records(epoch), false)
      return createSharedStore(transaction, this.#configuration.first)
    }
    return callerOf(request, { service, keys, clock, openStore })
  }

  /** Tells of the exchange, and waits for the latency. */
  async #finish(
    { signal }: CoreRequest,
    arrived: Arrived,
    { entry, response, latency, exchange = arrived.last + 1 }: CommittedRequest,
  ): Promise<CoreResponse> {
    const numbers = [exchange, ...entry.numbers.slice(1)]
    const recorded = { numbers, facts: entry.facts }
    this.#start.onExchange(() => recordedExchange(recorded, this.#shared.service))
    if (latency > 0) await delay(latency, signal)

    return response
  }

  /** The response to a request that could not be read, which counts as one without a key. */
  async reject(problem: Problem, origin: string | undefined): Promise<CoreResponse> {
    const { service } = this.#shared
    const { plan, arrived, configuration } = await this.#arriveWithoutKey(1)
    const openStore = (): Promise<Store> => createWorldState(service, new Set()).openStore()
    const { receivers } = configuration
    const events = this.#shared.events.of(this.name)
    const used = { openStore, events, receivers, follow: this.#follow(configuration) }
    const state = createRequestState(service, configuration.keys, plan, arrived, used)

    return rejectUnparsed(problem, state, origin)
  }

  /** Creates the world, unless it exists. */
  async open(): Promise<void> {
    await this.#arriveWithoutKey(0)
  }

  /** Whether these are the present keys of the world. This instance knows those afterwards. */
  async verify(keys: Keys): Promise<boolean> {
    await this.#arriveWithoutKey(0)
    return this.#configuration.keys === keys
  }

  #arriveWithoutKey(cost: 0 | 1): Promise<{
    readonly plan: RequestPlan
    readonly arrived: Arrived
    readonly configuration: PreparedConfiguration
  }> {
    return untilKept(this.name, async () => {
      const configuration = this.#configuration
      const plan = planWithoutKey(configuration.keys, cost)
      const arrived = await this.#arrive(plan, configuration)

      return arrived && arrived !== 'refused' ? { plan, arrived, configuration } : undefined
    })
  }

  /**
   * Sends an arrival. Resolves with `undefined` when the configuration was another one, which is known afterwards, and with `refused`
   * when the request may not create the world.
   */
  async #arrive(
    plan: RequestPlan,
    configuration: PreparedConfiguration,
    { isPresent, group }: Choice = {},
  ): Promise<Arrived | 'refused' | undefined> {
    const { service } = this.#shared
    const result = await this.#stored.arrive(toArrival(plan, configuration, service))
    if (result.kind === 'arrived') return this.#noted(result, plan, configuration)
    if (result.kind === 'missing') {
      // The keys of a world that is gone do not count.
      this.#configuration = unknownConfiguration(this.#shared)
      if (configuration.epoch !== '') return undefined
      if (!(plan.mayCreate || this.name === OWN_WORLD)) return 'refused'
      // An invalid key has no world.
      if ((await isPresent) === false) return undefined
      const lead = result.storeTime - Date.now()
      await createStoredWorld(this.#stored, this.#start, service, { lead, group })
    } else this.#configuration = await prepareConfiguration(result.config, service)

    return undefined
  }

  #follow({ epoch }: PreparedConfiguration): ArrivedRequest['follow'] {
    const { contract } = this.#shared.service.settings
    return (follower, { told }) =>
      followLog(follower, { log: this.#stored.events, epoch, told }, contract)
  }

  #recordsOf({ epoch, first }: PreparedConfiguration): WorldRecords {
    if (this.#records?.epoch !== epoch) {
      const recent = new RecentCollections<FirstState>()
      const records = this.#stored.records(epoch)
      const reads = new SharedReads(records)
      this.#records = { epoch, records, reads, first: { ...first, recent } }
    }
    return this.#records
  }

  #noted(
    { arrived }: Extract<ArrivalResult, { readonly kind: 'arrived' }>,
    { rules }: RequestPlan,
    configuration: PreparedConfiguration,
  ): Arrived {
    for (const [at, { id }] of rules.entries()) {
      if (!arrived.rules[at]) configuration.rules.delete(id)
    }
    return arrived
  }
}

/** How a world of a shared sandbox begins, and who is told about it. */
interface WorldStart {
  /**
   * Called before the world is created, and after it: its name may have been dropped meanwhile. Rejects when there is no place for
   * another world of the group.
   */
  onCreation(group: WorldGroup | undefined): Promise<void>
  /** Called with each request that is admitted to the world. */
  onUse(group: WorldGroup | undefined): void
  /** Changes the state that the world begins with. */
  prepare(state: WorldState): void
  /** Called with what reads each exchange of this instance. */
  onExchange(read: () => Exchange): void
}

/** Creates a world in the store. `lead` is how far the clock of the store is ahead of the machine's, in milliseconds. */
async function createStoredWorld(
  stored: StoredWorld,
  start: WorldStart,
  service: Service,
  { lead, group }: { readonly lead: number; readonly group: WorldGroup | undefined },
): Promise<void> {
  await start.onCreation(group)
  const state = createWorldState(service, new Set())
  await state.openStore()
  start.prepare(state)
  await stored.begin(newEpochOf(state, epochStart(service, lead)), undefined)
  await start.onCreation(group)
}

/** How a request chose its world. */
export interface Choice {
  /** The keys by which it was chosen, where they are those of another world. */
  readonly keys?: Keys
  /** The caller, where the world that issued its token knows who it is. */
  readonly caller?: Caller
  /** Whether these keys are the present ones. Without it, the world was chosen by its name. */
  readonly isPresent?: Promise<boolean>
  /** Whether the choice ends when the keys of this world have changed. */
  readonly isByOwnKeys?: boolean
  /** The group in which the world is created. Default: the worlds that requests name. */
  readonly group?: WorldGroup
}

/** A request with its time on the clock of the store, and with the number of its connection among those of all instances. */
function delivered(
  request: CoreRequest,
  { storeTime }: Arrived,
  { connectionsAfter }: Pick<SharedService, 'connectionsAfter'>,
): CoreRequest {
  const { delivery } = request
  if (!delivery) return request
  const { received, connection, opened } = delivery
  const lead = storeTime - realNow()
  return {
    ...request,
    delivery: {
      received: Math.max(0, received + lead),
      ...(connection !== undefined && { connection: connectionsAfter + connection }),
      ...(opened !== undefined && { opened: Math.max(0, opened + lead) }),
    },
  }
}

// A world that does not exist, for those who may not create it: it is as a new one, and is not kept.

/** Answers a request without the credentials that it needs. */
function answerUnkept(
  request: CoreRequest,
  service: Service,
  onExchange: JournalListener,
  caller: Caller | undefined,
): Promise<CoreResponse> {
  const state = createWorldState(service, new Set([onExchange]))
  return answer(request, caller ? { ...state, caller } : state)
}

/** A world to be read. Its journal begins when a request creates it. */
export function unkeptWorld(stored: StoredWorld, service: Service): UsedWorld {
  const listeners = new Set<JournalListener>()
  const handle = new WorldHandle(createWorldState(service, listeners), listeners)
  const world = new SandboxWorld(
    stored.name,
    () => service,
    () => handle,
  )
  return {
    world,
    openJournal: async (range) => {
      const loaded = await stored.load()
      return loaded ? openStoredJournal(stored.journal, loaded, service, range) : world.journal
    },
    openEvents: async () => {
      await loadEvents(handle.state.events)
      return world.events
    },
    registerUndo: () => undefined,
  }
}

/** Takes back what the arrival of a request has counted, because the request belongs to another world. */
async function withdrawArrival(
  stored: StoredWorld,
  epoch: string,
  account: string,
  arrived: Arrived,
): Promise<void> {
  let present = arrived.after
  await untilKept(stored.name, async () => {
    const after = withoutArrival(present, arrived)
    if (areEqual(present, after)) return true
    const accounts = [{ key: account, before: present, after }]
    const result = await stored.commit({ epoch, accounts })
    if (result.kind === 'done' || result.kind === 'past') return true
    present = result.accounts?.[0] ?? {}
    return undefined
  })
}

/** An account as it is without a request that has arrived. */
export function withoutArrival(
  present: StoredAccount,
  { before, after }: Pick<Arrived, 'before' | 'after'>,
): StoredAccount {
  if (areEqual(present, after)) return before
  const { usage, history } = present
  const counted = usage && after.usage && withoutCount(usage, before.usage, after.usage)
  // Refusals and bans that others have caused meanwhile stay.
  const kept = areEqual(history, after.history) ? before.history : history

  return { ...(usage && { usage: counted ?? usage }), ...(kept && { history: kept }) }
}

function withoutCount(present: Usage, before: Usage | undefined, after: Usage): Usage {
  return {
    minute: withoutCountIn(present.minute, before?.minute, after.minute),
    day: withoutCountIn(present.day, before?.day, after.day),
  }
}

/** A window without what the request has added. In a later window, it has added nothing. */
function withoutCountIn(
  present: Usage['minute'],
  before: Usage['minute'] | undefined,
  after: Usage['minute'],
): Usage['minute'] {
  if (present.window !== after.window) return present
  const added = after.used - (before?.window === after.window ? before.used : 0)

  return { ...present, used: Math.max(0, present.used - added) }
}
