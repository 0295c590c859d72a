import type { Contract, Operation } from '../../contract/contract.ts'
import { MEBIBYTE } from '../../http/body-limits.ts'
import { toWebRequest } from '../../requests/outgoing-request.ts'
import {
  acceptedTypes,
  integerIn,
  isSafeMethod,
  isSuccess,
  NotSent,
  outgoingRequest,
  type ProbeRequest,
  type ProbeResponse,
  parseExactly,
  retryAfter,
  type Target,
} from '../messages.ts'
import {
  boundTo,
  concretePath,
  isAt,
  pathOf,
  placeInBody,
  recordTemplate,
  segmentsOf,
} from '../record-address.ts'
import { AcceptedBodies, isInvalidInput } from './accepted-bodies.ts'
import { ChangeGate } from './change-gate.ts'
import type { EventAddresses } from './event-addresses.ts'
import { givenRequests, providerStates } from './given-requests.ts'
import type { VerifySettings } from './options.ts'
import { withOwnCodes } from './own-codes.ts'
import { type CreateRecord, RecordStates } from './record-states.ts'
import { References } from './references.ts'
import { SeenIds, SeenRecords } from './seen-records.ts'
import { type CompleteResponse, NoResponse, RESET, sendAndRead } from './send-and-read.ts'
import { UniqueValues } from './unique-values.ts'
import { completeRequest, createAt, OperationInputs, validRequest } from './valid-request.ts'
import { needsVersion, readOfRecord, Versions, withVersion } from './versions.ts'

interface SessionOptions
  extends Pick<
    VerifySettings,
    | 'budget'
    | 'exhaust'
    | 'timeout'
    | 'maxWait'
    | 'data'
    | 'requests'
    | 'states'
    | 'changes'
    | 'fetch'
    | 'now'
    | 'sleep'
  > {
  /** The operations to which nothing is sent. */
  readonly excluded: ReadonlySet<Operation>
  /** When the run ends, in epoch milliseconds: it does not wait longer. */
  readonly deadline: number
  /** Ends waits when it is aborted. */
  readonly signal?: AbortSignal | undefined
  /** Called before each wait. */
  readonly onWait: (milliseconds: number, why: string) => void
}

type Send = (request: ProbeRequest) => Promise<ProbeResponse>

/** How long a server is left alone that returns 429 without a `Retry-After`, in milliseconds: longer than windows of a minute. */
const USUAL_WINDOW = 65_000

/** In milliseconds: the time until a date that a service may want to be in the future. */
const AHEAD = 30 * 24 * 3_600_000

/** How often a refused creation is sent below another parent. */
const MAX_OTHERS = 3

/** `fetch` fails when a response has one of these statuses (Fetch Standard, "HTTP-network-or-cache fetch"). */
const UNREADABLE: ReadonlySet<number> = new Set([101, 407])

/** The maximum size of all response bodies in characters: it limits the memory that a server can make a run use. */
const MAX_TOTAL_LENGTH = 64 * MEBIBYTE

/** Sends requests to one server within its quota and a budget, and keeps the responses. */
export class Session {
  readonly target: Target
  readonly contract: Contract
  readonly records: SeenRecords = new SeenRecords()
  readonly ids: SeenIds = new SeenIds()
  readonly inputs: OperationInputs
  /** Decides which requests may be sent, so that the run changes only what it created. */
  readonly gate: ChangeGate
  /** Finds bodies that the server accepts where it refuses what the document allows. */
  readonly bodies: AcceptedBodies
  /** Gives new records values that no other record has. */
  readonly unique: UniqueValues
  /** Gives the service addresses for its events; absent when nothing listens for them. */
  addresses: EventAddresses | undefined
  readonly references: References
  readonly states: RecordStates
  readonly #versions = new Versions()
  /** In the order of the requests. */
  readonly responses: ProbeResponse[] = []
  /** The operations that were sent a valid request. */
  readonly exercised: Set<Operation> = new Set()
  /** The creations that the service has accepted, with how often they were sent below another parent afterwards. */
  readonly #accepted = new Map<Operation, number>()
  /** The number of requests. */
  sent = 0
  /** The sum of all waits, in milliseconds. */
  waited = 0
  readonly #options: SessionOptions
  readonly #quota: QuotaTracker
  /** Until when the server refuses the requests of an operation, in epoch milliseconds. */
  readonly #blocked = new Map<Operation | undefined, number>()
  /** Until when it refuses all requests. */
  #blockedUntil = 0
  #wasLimited = false
  #totalLength = 0
  #more = 0

  constructor(
    target: Target,
    options: SessionOptions,
    inputs: OperationInputs = new OperationInputs(
      givenRequests(target.contract, options.requests),
      providerStates(target.contract, options.states),
    ),
  ) {
    this.target = target
    this.contract = target.contract
    this.inputs = inputs
    this.#options = options
    this.gate = new ChangeGate(target.contract, options.data, options.changes)
    this.gate.time = options.now()
    const placeOf = (one: Operation): string => placeInBody(target.contract, one)
    this.bodies = new AcceptedBodies(placeOf)
    const collectionOf = (one: Operation): string =>
      boundTo(target.contract, one)?.resource.path ?? one.id
    this.unique = new UniqueValues(placeOf, collectionOf)
    const create: CreateRecord = (template, operation, wanted) =>
      createAt(template, operation, this, wanted)
    this.references = new References(
      target.contract,
      this.gate,
      create,
      { seen: this.ids, send: (request) => this.sendOutsideBudget(request) },
      ({ id }, property) => target.texts?.property(id, property) ?? '',
    )
    this.states = new RecordStates(target.contract, this.gate, {
      create,
      requestAt: (one, path) => validRequest(one, this, 'key', path),
      send: (one) => this.send(one),
      shownIn: (one) => this.ids.recordsOf(one),
      keepApart: (one) => this.references.keepApart(one),
    })
    this.#quota = new QuotaTracker(options.exhaust)
  }

  /** Allows more requests than the budget. */
  allowMore(requests: number): void {
    this.#more += requests
  }

  /** The number of requests that the budget still allows. */
  get remainingBudget(): number {
    return this.#options.budget + this.#more - this.sent
  }

  /** The remaining requests of the key; `undefined` when the server does not state them. */
  get remainingQuota(): number | undefined {
    return this.#quota.remaining
  }

  /** Whether the server states or enforces a limit of requests. */
  get hasLimits(): boolean {
    return this.#quota.isStated || this.#wasLimited
  }

  get #now(): number {
    return this.#options.now()
  }

  /** Sends a request that changes nothing to another base address; `undefined` when there is no response. The request counts. */
  async tryAddress(base: string, request: ProbeRequest): Promise<ProbeResponse | undefined> {
    if (this.remainingBudget <= 0 || !isSafeMethod(request.method)) return undefined
    this.sent += 1
    const session = new Session({ ...this.target, base }, this.#options, this.inputs)
    return await session.sendNow(request).catch(() => undefined)
  }

  /**
   * Sends a request as soon as the quota allows it. Retries it once after a 429, and with other bodies when the server refuses the one
   * that was made for the operation, or when a new record conflicts with another one. Throws {@link NotSent} and `NoResponse`.
   */
  async send(request: ProbeRequest): Promise<ProbeResponse> {
    const response = await this.#sendInQuota(request)
    if (this.#isConflict(response)) return await this.#withoutConflict(response)
    if (request.method === 'DELETE' && response.status === 409)
      return await this.removeEnded(response, (other) => this.#sendInQuota(other))
    if (this.#isRefusedAction(response))
      return await this.states.act(response, (other) => this.#sendInQuota(other))
    if (!isInvalidInput(response) && !this.#isAboutNone(response)) return response
    const retried = await this.references.retry(response, request, (other) =>
      this.#sendInQuota(other),
    )
    if (this.#isConflict(retried)) return await this.#withoutConflict(retried)
    if (!isInvalidInput(retried)) return retried
    const sendOther: Send = async (other) => {
      const response = await this.#sendInQuota(other)
      return this.#isConflict(response) ? await this.#withoutConflict(response) : response
    }
    // A time may have to be in the future.
    const ahead = new Date(this.#now + AHEAD).toISOString()
    const around = (): readonly unknown[] => [ahead, ...this.#recordsAround(retried)]
    const found = await this.bodies.find(retried, sendOther, around)
    return isInvalidInput(found) ? await this.#belowOther(found) : found
  }

  /**
   * Sends a new record that was refused, although the service has accepted others before, below a new parent: what it refers to may belong
   * to another one than that of the path.
   */
  async #belowOther(refused: ProbeResponse): Promise<ProbeResponse> {
    const { operation, credentials, body, sample, keepsParent, isInvalid } = refused.request
    const times = operation && this.#accepted.get(operation)
    const isMade = body !== undefined && body === sample && !keepsParent && !isInvalid
    const isOwn = credentials === 'key' && isMade && !isFinal(refused.request)
    if (!operation || times === undefined || times >= MAX_OTHERS || !isOwn) return refused
    this.#accepted.set(operation, times + 1)
    return await this.states.belowNew(refused, (other) => this.#sendInQuota(other))
  }

  /** The record in the path of a request, and those to which its body refers, as responses showed them. */
  #recordsAround({ request }: ProbeResponse): readonly unknown[] {
    const { operation, target } = request
    const above = operation ? recordTemplate(operation).length + 1 : 0
    const path = (operation && concretePath(operation, target)?.slice(0, above)) ?? []
    const named = [path, ...this.references.namedBy(request)]
    return named.map((one) => this.ids.recordAt(`/${one.slice(1).join('/')}`))
  }

  /** Sends a removal that was refused because of the state of its record again, after an action that ends the record. */
  async removeEnded(refused: ProbeResponse, send: Send): Promise<ProbeResponse> {
    const { credentials } = refused.request
    const isValid = credentials === 'key' || credentials === 'other-key'
    if (!isValid || isFinal(refused.request)) return refused
    return await this.states.end(refused, send)
  }

  /** A creation may conflict with a record that exists, or with the state of one that it is about. */
  async #withoutConflict(refused: ProbeResponse): Promise<ProbeResponse> {
    const send: Send = (request) => this.#sendInQuota(request)
    const others = await this.references.withOthers(refused, send)
    if (others.status !== 409) return others
    const { operation } = refused.request
    const isFull = operation !== undefined && this.states.takesOneEach(operation, refused.text)
    const response = isFull ? refused : await this.unique.find(refused, send)
    if (response.status !== 409 || !operation) return response
    if (this.gate.creations.has(operation)) {
      // Below another parent, the values may still be those of a record that exists.
      const sendNew: Send = async (one) => await this.unique.find(await send(one), send)
      return await this.#withOtherRecords(await this.states.find(response, send, sendNew), send)
    }
    // The next change is one of another record.
    const path = concretePath(operation, response.request.target) ?? []
    this.gate.own.close(path.slice(0, recordTemplate(operation).length + 1))
    return response
  }

  /** A creation that is still refused may ask for more than there is, or refer to records that are in a state for good. */
  async #withOtherRecords(refused: ProbeResponse, send: Send): Promise<ProbeResponse> {
    if (refused.status !== 409) return refused
    const smaller = await this.bodies.findSmaller(refused, send)
    if (smaller.status !== 409 || !this.references.renew(refused.request)) return smaller
    const renewed = await send(refused.request)
    return renewed.status === 409 ? await this.states.find(renewed, send) : renewed
  }

  /** The next record that an operation creates refers to others than the one that a request made. Returns whether there are any. */
  renewReferences(request: ProbeRequest): boolean {
    return this.references.renew(request)
  }

  /** Whether a service did not find what a new record refers to. */
  #isAboutNone({ status, request: { operation, credentials } }: ProbeResponse): boolean {
    const isCreation = operation !== undefined && this.gate.creations.has(operation)
    return status === 404 && credentials === 'key' && isCreation
  }

  /** Whether a service refused a record because there is one like it, which is not what the request tests. */
  #isConflict({ status, request }: ProbeResponse): boolean {
    const { operation, method, credentials } = request
    if (status !== 409 || !operation || isFinal(request) || credentials !== 'key') return false
    return /^(PUT|PATCH)$/.test(method) || this.gate.creations.has(operation)
  }

  /** Whether a service refused an action, whose body was made for it, because of what the record is or has. */
  #isRefusedAction({ status, request }: ProbeResponse): boolean {
    const { operation, credentials, body, sample } = request
    const isAction = operation !== undefined && !this.gate.creations.has(operation)
    const isOpen = credentials === 'key' && !isFinal(request)
    return status === 409 && isAction && isOpen && body === sample
  }

  async #sendInQuota(request: ProbeRequest): Promise<ProbeResponse> {
    await this.#waitForQuota(request)
    const first = await this.sendNow(request)
    if (first.status !== 429)
      return (await this.addresses?.retry(first, () => this.sendNow(request))) ?? first

    await this.waitFor(retryAfter(first), 'the server returns 429', request)
    const second = await this.sendNow(request)
    if (second.status !== 429) return second
    this.#block(request, this.#now + (retryAfter(second) ?? USUAL_WINDOW))
    throw new NotSent('the server returns 429, even after the time in Retry-After')
  }

  /** Sends a request without regard to the quota. */
  async sendNow(wanted: ProbeRequest): Promise<ProbeResponse> {
    const { budget } = this.#options
    if (this.remainingBudget <= 0) throw new NotSent(`the budget of ${budget} requests is used up`)
    return await this.sendOutsideBudget(wanted)
  }

  /** Sends a request without regard to the quota and the budget, to clean up. Every request is sent here. */
  async sendOutsideBudget(wanted: ProbeRequest): Promise<ProbeResponse> {
    const { now } = this.#options
    if (this.#totalLength > MAX_TOTAL_LENGTH) {
      throw new NotSent(`all responses together exceed ${MAX_TOTAL_LENGTH / MEBIBYTE} MiB`)
    }
    const complete = await completeRequest(wanted, this.inputs)
    const addressed = this.addresses?.inRequest(complete) ?? complete
    const linked = await this.#withReferences(addressed)
    const request = await this.#withVersion(this.gate.ids.inRequest(linked))
    if (wanted.isExact && request.target + request.body !== linked.target + linked.body)
      throw new NotSent('the value is an id, and only ids that no other record has are sent')
    const refusal = this.#reasonToExcludeRequest(request) ?? this.gate.reasonToRefuse(request)
    if (refusal !== undefined) throw new NotSent(refusal)
    this.sent += 1
    this.gate.settings.touch(request)
    const received = await this.#exchange(request)
    const date = Date.parse(received.headers.get('Date') ?? '')
    const at = now()
    const time = Number.isNaN(date) ? at : date
    const { url } = outgoingRequest(request, this.target)
    const json = parseExactly(received.text)
    const response = { request, url, ...received, json, time, received: at }
    this.#totalLength += received.text.length
    if (received.status === 429) this.#wasLimited = true
    this.responses.push(response)
    this.addresses?.note(addressed, response)
    this.#note(response)

    return response
  }

  /** Notes what a response shows. */
  #note(response: ProbeResponse): void {
    const { request } = response
    const { operation, credentials } = request
    // What somebody else may not see may exist.
    if (credentials !== 'other-key' || isCreationOrRemoval(response)) this.gate.note(response)
    if (credentials === 'key') this.ids.add(response)
    this.references.note(response)
    this.unique.note(response)
    this.#versions.note(response)
    if (operation && isChange(response)) this.inputs.spend(operation)
    if (operation && this.gate.creations.has(operation) && isSuccess(response)) {
      this.#accepted.set(operation, this.#accepted.get(operation) ?? 0)
      this.bodies.note(operation)
    }
    if (operation && isExercise(response)) this.exercised.add(operation)
    this.#quota.update(response, this.#now)
  }

  /** The current version of the record, for an operation that wants one. It is read first when no response has shown it. */
  async #withVersion(request: ProbeRequest): Promise<ProbeRequest> {
    const { operation, hasVersion, target } = request
    if (hasVersion || !operation || !needsVersion(operation)) return request
    const read = readOfRecord(operation, this.contract)
    if (this.#versions.of(request) === undefined && read && this.remainingBudget > 0) {
      const reading = { operation: read, method: 'GET', credentials: 'key' } as const
      await this.sendOutsideBudget({ ...reading, target: pathOf(target) })
    }
    return withVersion(request, this.#versions.of(request) ?? '*')
  }

  /** What the user gave for a request names the records that it should. */
  async #withReferences(request: ProbeRequest): Promise<ProbeRequest> {
    const { operation, body } = request
    const isGiven = operation !== undefined && this.inputs.bodyOf(operation) !== undefined
    if (body === undefined || isGiven || request.keepsReferences) return request
    return await this.references.inRequest(withOwnCodes(request, this.responses))
  }

  /** Why nothing is sent to an operation. */
  reasonToExclude(operation: Operation): string | undefined {
    return this.#options.excluded.has(operation) ? EXCLUDED : undefined
  }

  /** A request for no operation is excluded by its path. */
  #reasonToExcludeRequest({ operation, target }: ProbeRequest): string | undefined {
    if (operation) return this.reasonToExclude(operation)
    const path = ['', ...segmentsOf(pathOf(target))]
    const isExcluded = [...this.#options.excluded].some((one) =>
      isAt(path, ['', ...segmentsOf(one.path)]),
    )
    return isExcluded ? EXCLUDED : undefined
  }

  /** How much longer the run may wait, in milliseconds. */
  get remainingWait(): number {
    const { maxWait, deadline } = this.#options
    return Math.min(maxWait - this.waited, deadline - this.#now)
  }

  get #isNearDeadline(): boolean {
    const { maxWait, deadline } = this.#options
    return deadline - this.#now < maxWait - this.waited
  }

  /** Waits. Throws {@link NotSent} when the wait is too long or unknown. */
  async waitFor(
    milliseconds: number | undefined,
    why: string,
    request?: ProbeRequest,
  ): Promise<void> {
    if (milliseconds === undefined) throw new NotSent(`${why}, and Retry-After is missing`)
    const { signal, sleep, onWait } = this.#options
    if (signal?.aborted) throw new NotSent(INTERRUPTED)
    if (milliseconds > this.remainingWait) {
      this.#block(request, this.#now + milliseconds)
      const seconds = Math.round(milliseconds / 1000)
      const option = this.#isNearDeadline ? '--time-limit' : '--max-wait'
      throw new NotSent(`${why} for the next ${seconds} s, longer than ${option} allows`)
    }
    const length = Math.max(0, milliseconds)
    if (length === 0) return
    onWait(length, why)
    this.waited += length
    await sleep(length, signal)
    if (signal?.aborted) throw new NotSent(INTERRUPTED)
  }

  /** A service may limit each route: only after several in a row without another response, all are left alone. */
  #block(request: ProbeRequest | undefined, until: number): void {
    this.#blocked.set(request?.operation, until)
    const last = this.responses.slice(-MAX_LIMITED)
    const isWhole =
      request === undefined ||
      (last.length === MAX_LIMITED && last.every(({ status }) => status === 429))
    if (isWhole) this.#blockedUntil = until
  }

  async #waitForQuota(request: ProbeRequest): Promise<void> {
    const blocked = this.#blocked.get(request.operation) ?? 0
    if (this.#now < Math.max(blocked, this.#blockedUntil)) {
      throw new NotSent('the quota is used up, and --max-wait allows no longer wait')
    }
    const spent = this.#quota.spentBefore(request, this.#now)
    if (!spent) return
    const { remaining, reset } = spent
    const why = `only ${remaining} requests of the quota are left`
    await this.waitFor(reset - this.#now + MARGIN, why, request)
    this.#quota.endWindow(request)
  }

  async #exchange(request: ProbeRequest): Promise<CompleteResponse> {
    const { fetch, timeout, signal } = this.#options
    // What is sent after the interruption cleans up.
    const interruption = signal?.aborted ? undefined : signal
    const outgoing = outgoingRequest(request, this.target)
    const send = (): Promise<CompleteResponse> =>
      sendAndRead(toWebRequest(outgoing, acceptedTypes(request)), fetch, timeout, interruption)
    try {
      return await send().catch((error: unknown) => {
        const isReset = error instanceof NoResponse && error.message === RESET
        if (!isReset || !isSafeMethod(request.method)) throw error
        return send()
      })
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error
      const hidden = request.operation?.responses.find(({ status }) => UNREADABLE.has(status))
      if (hidden) throw new NotSent(`fetch cannot read a response with the status ${hidden.status}`)
      error.request = request
      this.gate.own.noteUnclear(request, `POST got no response: ${error.message}`)
      throw error
    }
  }
}

function isChange(response: ProbeResponse): boolean {
  return !isSafeMethod(response.request.method) && isSuccess(response)
}

/** Whether somebody else has created or removed a record. */
function isCreationOrRemoval(response: ProbeResponse): boolean {
  return /^(POST|DELETE)$/.test(response.request.method) && isSuccess(response)
}

/** Why an operation that the user excludes is not sent. */
export const EXCLUDED = 'excluded by --exclude'

/** Why nothing more is sent after Ctrl+C. */
export const INTERRUPTED = 'the run was interrupted'

/** Whether a response shows that its operation was sent a valid request. HEAD for a GET does not count. */
function isExercise({ request, status }: ProbeResponse): boolean {
  const { operation, method, credentials, isValid } = request
  if (credentials !== 'key' || operation?.method !== method) return false
  return isValid === true || (status >= 200 && status < 400)
}

/** So many refusals in a row, of several operations, show that the server refuses all of them. */
const MAX_LIMITED = 4

/** Whether a refusal of a request is what is tested. */
function isFinal({ isRepeated, keepsRefusal }: ProbeRequest): boolean {
  return isRepeated === true || keepsRefusal === true
}

/** The part of a quota that is left to other users of the key. */
const RESERVED_PART = 0.1

/** `X-RateLimit-Reset` has whole seconds, so the window can end up to a second later. In milliseconds. */
const MARGIN = 1000

/** The state of a quota by the headers of the last response. */
interface QuotaState {
  readonly limit: number
  readonly operation: Operation | undefined
  readonly remaining: number
  /** The number of requests that are left to other users of the key. */
  readonly reserved: number
  /** In epoch milliseconds of the clock of this machine. */
  readonly reset: number
}

/**
 * Keeps the quota of the key, and that of requests without the key, as the `X-RateLimit` headers state them. When two operations state
 * different limits, each operation has a quota of its own.
 */
class QuotaTracker {
  readonly #states = new Map<string, QuotaState>()
  #hasRoutes = false
  readonly #reservedPart: number

  /** With `exhaust`, nothing is left to other users of the key. */
  constructor(exhaust: boolean) {
    this.#reservedPart = exhaust ? 0 : RESERVED_PART
  }

  /** The remaining requests of the key; `undefined` when the server does not state them. */
  get remaining(): number | undefined {
    return this.#hasRoutes ? undefined : this.#states.get('key')?.remaining
  }

  /** Whether the server states a quota. */
  get isStated(): boolean {
    return this.#hasRoutes || this.#states.size > 0
  }

  /** Who has the quota that a request uses. */
  #ownerOf(request: ProbeRequest): string {
    const owner = ownerOf(request)
    return this.#hasRoutes ? `${owner} ${request.operation?.id ?? ''}` : owner
  }

  /** What a request has to wait for; `undefined` when it can be sent at once. */
  spentBefore(request: ProbeRequest, now: number): QuotaState | undefined {
    const state = this.#states.get(this.#ownerOf(request))
    return state && state.remaining <= state.reserved && now <= state.reset ? state : undefined
  }

  /** Forgets a state whose window has ended. */
  endWindow(request: ProbeRequest): void {
    this.#states.delete(this.#ownerOf(request))
  }

  update({ request, headers, time }: ProbeResponse, now: number): void {
    const remaining = integerIn(headers, 'X-RateLimit-Remaining')
    const reset = integerIn(headers, 'X-RateLimit-Reset')
    if (remaining === undefined || reset === undefined) return
    const limit = integerIn(headers, 'X-RateLimit-Limit') ?? 0
    const reserved = Math.ceil(limit * this.#reservedPart)
    const owner = ownerOf(request)
    const other = this.#states.get(owner)
    const isOtherRoute = other?.operation !== undefined && other.operation !== request.operation
    if (other && isOtherRoute && other.limit !== limit) this.#hasRoutes = true
    // The clocks of the server and of this machine can differ.
    this.#states.set(this.#ownerOf(request), {
      remaining,
      reserved,
      limit,
      operation: request.operation,
      reset: now + reset * 1000 - time,
    })
  }
}

function ownerOf({ credentials }: Pick<ProbeRequest, 'credentials'>): string {
  return credentials === 'key' || credentials === 'other-key' ? credentials : 'others'
}
