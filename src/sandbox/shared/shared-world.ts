import type { Keys } from '../../access/keys.ts'
import { delay } from '../../engine/delay.ts'
import type { CoreRequest, CoreResponse } from '../../http/message.ts'
import type { Problem } from '../../http/problem.ts'
import type { ArrivalResult, Arrived } from '../../state/stored-arrival.ts'
import type { StoredWorld } from '../../state/world-store.ts'
import { OWN_WORLD } from '../worlds.ts'
import { type ArrivedRequest, type CommittedRequest, commitRequest } from './commit-request.ts'
import { explore } from './explore.ts'
import { keepBody } from './kept-request.ts'
import { pause } from './pause.ts'
import {
  type PreparedConfiguration,
  prepareConfiguration,
  unknownConfiguration,
} from './prepared-configuration.ts'
import { planRequest, planWithoutKey, type RequestPlan, toArrival } from './request-plan.ts'
import { createRequestState } from './request-state.ts'
import { RequestStore } from './request-store.ts'
import { seenEpoch } from './seen-epoch.ts'
import type { SharedService } from './shared-service.ts'
import { recordedExchange } from './stored-exchange.ts'
import { tooManyChanges } from './too-many-changes.ts'
import { answerUnkept } from './unkept-world.ts'
import { withdrawArrival } from './withdraw-arrival.ts'
import type { Choice } from './world-choice.ts'
import { createStoredWorld, type WorldStart } from './world-start.ts'

/** How often a request arrives again because the configuration has changed, or the world was reset or deleted. */
const MAX_ARRIVALS = 50

/** A world in the store. It keeps nothing but the latest configuration that it saw, which every arrival verifies. */
export class SharedWorld {
  readonly name: string
  readonly #stored: StoredWorld
  readonly #shared: SharedService
  readonly #start: WorldStart
  #configuration: PreparedConfiguration
  /** What this instance has seen of the records of the epoch. */
  #seen = seenEpoch('')
  /** How far the clock of the world is ahead of the machine's, in milliseconds, as far as this instance knows. */
  #lead = 0

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
    const request = keepBody(given)
    for (let attempt = 1; attempt <= MAX_ARRIVALS; attempt += 1) {
      const arrived = await this.#arrive(request, choice)
      if (!arrived) return undefined
      if (arrived === 'refused') {
        return answerUnkept(request, this.#shared.service, this.#start.onExchange)
      }
      if ((await choice.isPresent) === false) {
        const { epoch, plan, arrived: counted } = arrived
        await withdrawArrival(this.#stored, epoch, plan.caller.account, counted)
        return undefined
      }
      if (arrived.plan.mayCreate) this.#start.onUse(choice.group)
      const committed = await commitRequest(arrived, this.#stored, this.#shared)
      if (committed) return this.#finish(request, arrived, committed)
      // The epoch has ended, with all that was counted in it. The keys may have changed, too.
      if (choice.keys) return undefined
    }
    throw tooManyChanges(this.name)
  }

  /** Tells of the exchange, and waits for the latency. */
  async #finish(
    { signal }: CoreRequest,
    { arrived }: ArrivedRequest,
    { entry, response, latency, exchange = arrived.last + 1 }: CommittedRequest,
  ): Promise<CoreResponse> {
    const numbers = [exchange, ...entry.numbers.slice(1)]
    const recorded = { numbers, facts: entry.facts }
    this.#start.onExchange(recordedExchange(recorded, this.#shared.service))
    if (latency > 0) await delay(latency, signal)

    return response
  }

  /** The response to a request that could not be read, which counts as one without a key. */
  async reject(problem: Problem, origin: string | undefined): Promise<CoreResponse> {
    const { service } = this.#shared
    const { plan, arrived, configuration } = await this.#arriveWithoutKey(1)
    const { store } = this.#storeOf(configuration)
    const state = createRequestState(service, configuration.keys, plan, arrived, store)
    const { rejectUnparsed } = await import('../../engine/unrecorded-responses.ts')

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

  /** Resolves with `refused` when the world does not exist, and the request may not create it. */
  async #arrive(
    request: CoreRequest,
    choice: Choice,
  ): Promise<ArrivedRequest | 'refused' | undefined> {
    const { service } = this.#shared
    for (let attempt = 1; attempt <= MAX_ARRIVALS; attempt += 1) {
      const configuration = this.#configuration
      const { epoch } = configuration
      const keys = choice.keys ?? configuration.keys
      const plan = planRequest(request, configuration, service, keys)
      const records = this.#storeOf(configuration)
      if (epoch !== '')
        void explore(request, plan, records.early(), service, Date.now() + this.#lead)
      const arrived = await this.#send(plan, configuration, choice)
      if (arrived === 'refused') return arrived
      if (arrived) return { request, plan, keys, epoch, arrived, records }
      if (choice.isByOwnKeys && epoch !== '') return undefined
      if ((await choice.isPresent) === false) return undefined
      // The worlds of too many requests at the same time drop each other.
      if (attempt > 2) await pause(attempt)
    }
    throw tooManyChanges(this.name)
  }

  async #arriveWithoutKey(cost: 0 | 1): Promise<{
    readonly plan: RequestPlan
    readonly arrived: Arrived
    readonly configuration: PreparedConfiguration
  }> {
    for (let attempt = 1; attempt <= MAX_ARRIVALS; attempt += 1) {
      const configuration = this.#configuration
      const plan = planWithoutKey(configuration.keys, cost)
      const arrived = await this.#send(plan, configuration)
      if (arrived && arrived !== 'refused') return { plan, arrived, configuration }
    }
    throw tooManyChanges(this.name)
  }

  /**
   * Sends an arrival. Resolves with `undefined` when the configuration was another one, which is known afterwards, and with `refused`
   * when the request may not create the world.
   */
  async #send(
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

  #storeOf({ epoch, first }: PreparedConfiguration): RequestStore {
    const { turns } = this.#shared
    if (this.#seen.epoch !== epoch) this.#seen = seenEpoch(epoch)
    const { seen, recent, opening } = this.#seen

    return new RequestStore(this.#stored.records(epoch), { ...first, seen, recent }, turns, opening)
  }

  #noted(
    { arrived }: Extract<ArrivalResult, { readonly kind: 'arrived' }>,
    { rules }: RequestPlan,
    configuration: PreparedConfiguration,
  ): Arrived {
    this.#lead = arrived.now - Date.now()
    for (const [at, { id }] of rules.entries()) {
      if (!arrived.rules[at]) configuration.rules.delete(id)
    }
    return arrived
  }
}
