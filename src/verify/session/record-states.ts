import type { Contract, Operation } from '../../contract/contract.ts'
import { parseJsonText } from '../../contract/json.ts'
import { encodeLiteral } from '../../contract/path-pattern.ts'
import { propertiesOf } from '../../contract/schema.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { referenceName, singular } from '../../resources/reference-names.ts'
import { isObject } from '../../validation/objects.ts'
import { isSuccess, NotSent, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import {
  concretePath,
  isAtOrBelow,
  isId,
  isParameter,
  isSameTemplate,
  lastOf,
  type RecordPath,
  recordTemplate,
  segmentsOf,
  templateOf,
  withPath,
} from '../record-address.ts'
import type { OwnRecords, PlainCreations } from './own-records.ts'
import { escaped, hasWords, membersOf, mentions, spaced } from './stated-rules.ts'
import type { NewRecord } from './valid-request.ts'

/** Creates a record at a path template. Throws {@link NotSent} when there is no way. */
export type CreateRecord = (
  template: readonly string[],
  operation: Operation,
  wanted?: NewRecord,
) => Promise<RecordPath>

/** A valid request for an operation at a path. */
type RequestAt = (operation: Operation, path: string) => Promise<ProbeRequest>

/** How records are made that others need. */
interface RecordMaking {
  readonly create: CreateRecord
  readonly requestAt: RequestAt
  /** Sends a creation, with other bodies when the service refuses it. */
  readonly send: (request: ProbeRequest) => Promise<ProbeResponse>
  /** The records of a collection that responses showed. */
  readonly shownIn: (collection: string) => readonly JsonObject[]
  /** The new records of a creation refer to other ones from now on. */
  readonly keepApart: (creation: Operation) => void
}

/** The most actions that are tried for one creation. */
const MAX_ATTEMPTS = 3

/** Words of actions that make a record ready for use, the most likely first. */
const BEGINNINGS = [
  /^(publish|activate|open|enable)/i,
  /^(approve|confirm|accept|verify|start|launch|release|issue|finali[sz]e|submit)/i,
]

/** Words of actions that end a record, so that it may be removed, or another one may take its place. */
export const ENDINGS: RegExp =
  /^(cancel|withdraw|close|archive|void|reject|deactivate|disable|unpublish|end|stop|return|finish|complete|release|discharge|check[-_]?out)/i

/** Whether the text of a refusal asks for what an action does: "The race is not closed" for `close`, "not checked in" for `check-in`. */
function isAskedFor(word: string, text: string): boolean {
  const [verb = '', ...rest] = spaced(word).split(' ').map(escaped)
  const stem = verb.replace(/e$/, '')
  const asks = `\\b(?:not(?: yet| been)*|must (?:first )?be|has to be|only|unless|until) (?:\\w+ )?${[`${stem}(?:\\w?e?d)?`, ...rest].join(' ')}\\b`
  return new RegExp(asks, 'i').test(spaced(text))
}

/** A refused creation, and how it is sent again. */
interface Refusal {
  readonly operation: Operation
  readonly status: number
  readonly request: ProbeRequest
  /** The text of the response. */
  readonly text: string
  readonly send: (request: ProbeRequest) => Promise<ProbeResponse>
  /** How it is sent below another record; default: the same. */
  readonly sendNew?: Refusal['send']
}

/**
 * Finds out in which state a record must be before others can be created for it, such as a course that is published before it has
 * sections. When a creation is refused with a 409, the actions on the records of the run that it is about are tried, and then those on
 * a new record above it. From then on, the one that helped is sent whenever the creation is refused.
 */
export class RecordStates {
  readonly #contract: Contract
  readonly #own: OwnRecords
  readonly #create: CreateRecord
  readonly #requestAt: RequestAt
  readonly #send: RecordMaking['send']
  readonly #shownIn: RecordMaking['shownIn']
  readonly #keepApart: RecordMaking['keepApart']
  readonly #isCreation: (operation: Operation) => boolean
  readonly #found = new Map<Operation, Operation>()
  readonly #failed = new Set<Operation>()
  /** The creations that no action helped below a certain record: elsewhere, they may be possible. */
  readonly #failedThere = new Set<Operation>()
  /**
   * The creations that records take once, such as that of the patient in a bed, with what the service said of a second one: the next one is
   * below a new record.
   */
  readonly #oneEach = new Map<Operation, string>()
  /** How often nothing could be created below the record of a refused action. */
  readonly #unprepared = new Map<Operation, number>()
  /** What was created before actions were possible, in this order. */
  readonly #needs = new Map<Operation, readonly Operation[]>()
  /** The actions, with what their refusals said, for which nothing that was created helped. */
  readonly #hopeless = new Set<string>()
  /** What the refusals said that creations elsewhere helped. */
  readonly #reasons = new Map<Operation, string>()
  /** How often no action helped a removal. */
  readonly #endless = new Map<Operation, number>()

  constructor(
    contract: Contract,
    { own, creations }: { readonly own: OwnRecords; readonly creations: PlainCreations },
    { create, requestAt, send, shownIn, keepApart }: RecordMaking,
  ) {
    this.#contract = contract
    this.#own = own
    this.#isCreation = (one) => creations.has(one)
    this.#create = create
    this.#requestAt = requestAt
    this.#send = send
    this.#shownIn = shownIn
    this.#keepApart = keepApart
  }

  /** Whether a creation was refused because each record takes only one: another message is about something else. */
  takesOneEach(operation: Operation, text: string): boolean {
    return this.#oneEach.get(operation) === withoutIds(text) && !this.#found.has(operation)
  }

  /** Sends a refused creation again, for records in other states. Returns the last response to it. */
  async find(
    refused: ProbeResponse,
    send: Refusal['send'],
    sendNew: Refusal['send'] = send,
  ): Promise<ProbeResponse> {
    const { request, text } = refused
    const { operation } = request
    const failed = request.keepsParent ? this.#failedThere : this.#failed
    if (!operation || failed.has(operation)) return refused
    // Other creations that are needed for this one are not about its state.
    failed.add(operation)
    const refusal = { operation, request, text, send, sendNew, status: refused.status }
    const acted = this.takesOneEach(operation, text) ? undefined : await this.#afterAction(refusal)
    const found = acted ?? (await this.#belowNew(refusal))
    if (found || this.#found.has(operation)) failed.delete(operation)
    return found ?? refused
  }

  /** The creation after an action on a record that it is about; `undefined` when none helps. */
  async #afterAction({
    operation,
    request,
    text,
    send,
  }: Refusal): Promise<ProbeResponse | undefined> {
    const known = this.#found.get(operation)
    const moves = this.#recordsOf(operation, request).flatMap((record) => [
      ...this.#actionsOn(record, text).map((action) => ({
        action,
        move: requestFor(action, record),
      })),
      ...this.#changesOf(record, text),
    ])
    const open = known ? moves.filter(({ action }) => action === known) : moves
    for (const { action, move } of open.slice(0, MAX_ATTEMPTS)) {
      const done = await send(move).catch(ifNotSent)
      const acted = done && (await this.act(done, send))
      if (!acted || !isSuccess(acted)) continue
      const response = await send(request)
      // Another message is about something else.
      if (response.status === 409 && response.text === text) continue
      this.#found.set(operation, action)
      return response
    }
    return undefined
  }

  /**
   * Sends an action that a service refused with a 409 again, after something was created below its record, or of which the refusal
   * speaks: an order may need lines before it is submitted, and a payment before it is sent. Returns the last response to it.
   */
  async act(refused: ProbeResponse, send: Refusal['send']): Promise<ProbeResponse> {
    let last = refused
    for (let round = 0; round < MAX_ATTEMPTS && last.status === 409; round += 1) {
      const next = await this.#afterCreation(last, send)
      if (!next) return last
      last = next
    }
    return last
  }

  /** The response to a refused action after something was created for it that has helped; `undefined` when nothing has. */
  async #afterCreation(
    refused: ProbeResponse,
    send: Refusal['send'],
  ): Promise<ProbeResponse | undefined> {
    const { request } = refused
    const { operation } = request
    const record = this.#ownRecordOf(request)
    const reason = `${operation?.id} ${withoutIds(refused.text)}`
    if (!operation || !record || this.#hopeless.has(reason)) return undefined
    this.#hopeless.add(reason)
    const needs = this.#needs.get(operation) ?? []
    const possible = [
      ...this.#creationsBelow(operation),
      ...this.#creationsIn(refused.text, record),
    ]
    let isPrepared = false
    for (const creation of new Set([...needs, ...possible])) {
      const created = await this.#createFor(creation, record, refused.text).catch(ifNotSent)
      if (!created || !isSuccess(created)) continue
      isPrepared = true
      const response = await send(request)
      if (!this.#hasHelped(creation, refused, response)) continue
      this.#needs.set(operation, [...new Set([...needs, creation])])
      this.#hopeless.delete(reason)
      return response
    }
    const mayHelp = needs.length > 0 || !(isPrepared || this.#isUnprepared(operation))
    if (mayHelp) this.#hopeless.delete(reason)
    return undefined
  }

  /** Whether an action is no longer refused, or for something else: then what was created, or what it refers to, is in the way of others. */
  #hasHelped(
    creation: Operation,
    refused: ProbeResponse,
    { status, text }: ProbeResponse,
  ): boolean {
    if (status !== 409) return true
    const isOther = withoutIds(text) !== withoutIds(refused.text)
    if (isOther) this.#keepApart(creation)
    return isOther
  }

  /** Creates for a record what an action on it is known to need, so that only what is tested can be the reason for a refusal. */
  async prepare(request: ProbeRequest): Promise<void> {
    const record = this.#ownRecordOf(request)
    if (!request.operation || !record) return
    for (const creation of this.#needs.get(request.operation) ?? [])
      await this.#createFor(creation, record).catch(ifNotSent)
  }

  /** The record of the run that a request for an action is about. */
  #ownRecordOf({ operation, target }: ProbeRequest): RecordPath | undefined {
    const record = (operation && concretePath(operation, target))?.slice(0, -1)
    return operation && record && isOn(operation, record) && this.#own.has(record)
      ? record
      : undefined
  }

  /** Whether a service refused so often what was created below the record of an action that it will not take it later. */
  #isUnprepared(operation: Operation): boolean {
    const times = (this.#unprepared.get(operation) ?? 0) + 1
    this.#unprepared.set(operation, times)
    return times >= MAX_ATTEMPTS
  }

  /**
   * Sends a removal that a service refused with a 409 again, after an action that ends the record, such as a cancellation. Returns the last
   * response to it.
   */
  async end(refused: ProbeResponse, send: Refusal['send']): Promise<ProbeResponse> {
    const { request } = refused
    const { operation } = request
    const record = operation && concretePath(operation, request.target)
    if (!operation || !record || !this.#own.has(record)) return refused
    const times = this.#endless.get(operation) ?? 0
    const known = this.#found.get(operation)
    if (times >= MAX_ATTEMPTS) {
      this.#own.close(record)
      return refused
    }
    for (const action of known ? [known] : this.#endingsOf(record)) {
      const removed = await this.#sendAfter(action, record, refused, send)
      if (removed.status === 409) continue
      if (isSuccess(removed)) this.#found.set(operation, action)
      return removed
    }
    if (!known) this.#endless.set(operation, times + 1)
    // The next removal is one of another record.
    this.#own.close(record)
    return refused
  }

  /** Sends a refused request again after an action, unless the action is not possible. */
  async #sendAfter(
    action: Operation,
    record: RecordPath,
    refused: ProbeResponse,
    send: Refusal['send'],
  ): Promise<ProbeResponse> {
    const done = await this.#act(action, record, send).catch(ifNotSent)
    return done && isSuccess(done) ? await send(refused.request) : refused
  }

  /** The actions on a record that end it, those first that need no body. */
  #endingsOf(record: RecordPath): readonly Operation[] {
    return this.#contract.operations
      .filter((one) => /^(POST|PUT)$/.test(one.method) && isOn(one, record))
      .filter(({ path }) => ENDINGS.test(segmentsOf(path).at(-1) ?? ''))
      .sort((one, other) => Number(needsBody(one)) - Number(needsBody(other)))
  }

  async #act(action: Operation, record: RecordPath, send: Refusal['send']): Promise<ProbeResponse> {
    const move = requestFor(action, record)
    return await send(needsBody(action) ? await this.#requestAt(action, move.target) : move)
  }

  /** The creations in collections directly below the record of an action. */
  #creationsBelow(action: Operation): readonly Operation[] {
    const item = templateOf(action).slice(0, -1)
    return this.#contract.operations
      .filter((one) => one.method === 'POST' && this.#isCreation(one))
      .filter((one) => {
        const template = templateOf(one)
        return template.length === item.length + 1 && isSameTemplate(template.slice(0, -1), item)
      })
      .slice(0, MAX_ATTEMPTS)
  }

  /** The creations in collections at the top whose records refer to a record, and of which a text speaks, such as "no condition report". */
  #creationsIn(text: string, record: RecordPath): readonly Operation[] {
    const said = spaced(text)
    return this.#contract.operations.filter((one) => {
      const [, word = '', ...below] = templateOf(one)
      const isNamed = below.length === 0 && hasWords(said, spaced(singular(word)), 's?')
      const names = [...propertiesOf(one.body?.schema ?? {}).keys()]
      const isAbout = names.some((name) => namesRecord(name, record))
      return isNamed && isAbout && one.method === 'POST' && this.#isCreation(one)
    })
  }

  /** Creates something below a record, or that refers to it. */
  async #createFor(
    creation: Operation,
    record: RecordPath,
    text?: string,
  ): Promise<ProbeResponse | undefined> {
    if (recordTemplate(creation).length > 0) return await this.#createBelow(creation, record)
    const request = await this.#requestAt(creation, creation.path)
    const sent = parseJsonText(request.body ?? '')
    if (!isObject(sent)) return undefined
    const values = this.#valuesFor(creation, record, text ?? this.#reasons.get(creation) ?? '')
    if (text !== undefined) this.#reasons.set(creation, text)
    const body = JSON.stringify({ ...sent, ...values })
    return await this.#send({ ...request, body, keepsReferences: true, isRepeated: true })
  }

  /** What something that refers to a record has of it and of what is below it, and the words of enums of which a text speaks. */
  #valuesFor(creation: Operation, record: RecordPath, text: string): JsonObject {
    const below = this.#contract.operations.filter(
      (one) => one.method === 'POST' && isOn(one, record),
    )
    const shown = below.flatMap((one) =>
      this.#shownIn(`/${[...record.slice(1), templateOf(one).at(-1)].join('/')}`),
    )
    const properties = [...propertiesOf(creation.body?.schema ?? {})]
    return Object.fromEntries(
      properties.flatMap(([name, schema]) => {
        const other = shown.find((one) => isId(one[name]))
        const member = membersOf(name, schema, true).find((one) => mentions(text, one))
        const id = namesRecord(name, record) ? lastOf(record.join('/')) : undefined
        const value = id ?? other?.[name] ?? member?.[0]
        return value === undefined ? [] : [[name, value]]
      }),
    )
  }

  async #createBelow(creation: Operation, record: RecordPath): Promise<ProbeResponse> {
    const word = encodeLiteral(segmentsOf(creation.path).at(-1) ?? '')
    const end = creation.path.endsWith('/') ? '/' : ''
    const path = `/${[...record.slice(1), word].join('/')}${end}`
    return await this.#send({ ...(await this.#requestAt(creation, path)), keepsParent: true })
  }

  /** Sends a refused creation again below a new record. Returns the last response to it. */
  async belowNew(refused: ProbeResponse, send: Refusal['send']): Promise<ProbeResponse> {
    const { request, text } = refused
    const { operation } = request
    return (
      (operation &&
        (await this.#belowNew({ operation, request, text, send, status: refused.status }))) ??
      refused
    )
  }

  /** The creation below a new record, because the one above it may be in a state that it does not leave. */
  async #belowNew(refusal: Refusal): Promise<ProbeResponse | undefined> {
    const { operation, request, send, sendNew = send } = refusal
    const template = recordTemplate(operation)
    const path = concretePath(operation, request.target) ?? []
    const above = path.slice(0, template.length + 1)
    if (above.length < 2 || !this.#own.has(above) || request.keepsParent) return undefined
    const record = await this.#create(template, operation).catch(ifNotSent)
    if (!record) return undefined
    const below = `/${[...record, ...path.slice(record.length)].slice(1).join('/')}`
    const moved = { ...request, target: withPath(request.target, below) }
    const response = await sendNew(moved)
    const { text } = response
    const found =
      response.status === 409
        ? await this.#afterAction({ ...refusal, request: moved, text })
        : response
    if (!found || found.status === refusal.status) return found
    const isTaken = this.#own.newestFirst.some((one) => one !== above && isAtOrBelow(one, above))
    if (isSuccess(found) && isTaken) this.#oneEach.set(operation, withoutIds(refusal.text))
    this.#own.close(above)
    return found
  }

  /** The records of the run that a creation is about: the one above it, and those whose ids are in its body. */
  #recordsOf(operation: Operation, { target, body = '' }: ProbeRequest): readonly RecordPath[] {
    const path = concretePath(operation, target) ?? []
    const above = path.slice(0, recordTemplate(operation).length + 1)
    const value = parseJsonText(body)
    const sent = new Set(
      Object.values(isObject(value) ? value : {})
        .flat()
        .map(String),
    )
    const named = this.#own.newestFirst.filter((one) => sent.has(lastOf(one.join('/'))))

    return [...(above.length > 1 && this.#own.has(above) ? [above] : []), ...named]
  }

  /** Changes of the state of a record by PATCH: those first to a state that the refusal names, and then those that make it ready. */
  #changesOf(record: RecordPath, text: string): readonly Move[] {
    const changes = this.#contract.operations.filter(
      ({ method, path, body }) => method === 'PATCH' && body && isAtRecord(path, record),
    )
    return changes.flatMap((action) =>
      [...propertiesOf(action.body?.schema ?? {})]
        .flatMap(([name, schema]) => membersOf(name, schema).map((member) => ({ name, member })))
        .filter(({ member }) => mentions(text, member) || READY.test(member[1]))
        .sort(
          (one, other) => Number(mentions(text, other.member)) - Number(mentions(text, one.member)),
        )
        .flatMap(({ name, member: [value] }) => {
          const sent = { [name]: value }
          const target = `/${record.slice(1).join('/')}`
          const body = JSON.stringify(sent)
          const move = {
            operation: action,
            method: 'PATCH',
            target,
            body,
            credentials: 'key',
          } as const
          return action.body?.validate(sent) ? [{ action, move }] : []
        }),
    )
  }

  /** The actions on a record that need no body: those first that the refusal asks for, then those that make it ready. */
  #actionsOn(record: RecordPath, text: string): readonly Operation[] {
    const rankOf = ({ path }: Operation): number => {
      const word = segmentsOf(path).at(-1) ?? ''
      if (isAskedFor(word, text)) return -1
      const rank = BEGINNINGS.findIndex((one) => one.test(word))
      return rank < 0 ? BEGINNINGS.length : rank
    }
    return this.#contract.operations
      .filter((one) => /^(POST|PUT)$/.test(one.method) && !one.body?.required && isOn(one, record))
      .filter((one) => rankOf(one) < BEGINNINGS.length)
      .sort((one, other) => rankOf(one) - rankOf(other))
  }
}

/** A request that may bring a record into another state. */
interface Move {
  readonly action: Operation
  readonly move: ProbeRequest
}

/** Values of a state in which a record is ready for use. */
const READY = /^(open|active|published|enabled|live|approved|confirmed)$/i

/** Whether a property has the id of a record by its name: `trip_id` of one of the `/trips`. */
function namesRecord(property: string, record: RecordPath): boolean {
  const { of, hasIdSuffix } = referenceName(property)
  return hasIdSuffix && of === singular(record.at(-2) ?? '')
}

/** Whether a path template is that of a record. */
function isAtRecord(path: string, record: RecordPath): boolean {
  const template = segmentsOf(path)
  const segments = record.slice(1)
  return (
    template.length === segments.length &&
    template.every((word, at) => isParameter(word) || word === segments[at])
  )
}

/** Whether the path of an operation is that of a record with a word after it. */
function isOn(operation: Operation, record: RecordPath): boolean {
  const template = templateOf(operation)
  const item = template.slice(0, -1)
  const isItem = recordTemplate(operation).length + 1 === item.length
  const words = record.map((segment, at) => (item[at]?.startsWith('{') ? item[at] : segment))
  return isItem && isSameTemplate(item, words)
}

/** A message without what differs from record to record. */
function withoutIds(text: string): string {
  return text.replace(/[\w-]*\d[\w-]*/g, '')
}

function needsBody({ body }: Operation): boolean {
  return body?.required === true
}

function requestFor(action: Operation, record: RecordPath): ProbeRequest {
  const word = encodeLiteral(segmentsOf(action.path).at(-1) ?? '')
  const end = action.path.endsWith('/') ? '/' : ''
  return {
    operation: action,
    method: action.method,
    target: `/${[...record.slice(1), word].join('/')}${end}`,
    credentials: 'key',
    isValid: true,
  }
}

function ifNotSent(error: unknown): undefined {
  if (!(error instanceof NotSent)) throw error
  return undefined
}
