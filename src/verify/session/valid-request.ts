import type { Contract, Operation } from '../../contract/contract.ts'
import type { Credentials } from '../../contract/credentials.ts'
import { parseJsonText } from '../../contract/json.ts'
import { encodeLiteral } from '../../contract/path-pattern.ts'
import { findInput, type GivenInput, type OperationInput } from '../../requests/operation-input.ts'
import { fillPath, queryText } from '../../requests/outgoing-request.ts'
import { serializeBody } from '../../requests/serialize-body.ts'
import { withValueAt } from '../../resources/views/record-body.ts'
import { isObject } from '../../validation/objects.ts'
import {
  isGone,
  isSafeMethod,
  isSuccess,
  NotSent,
  type ProbeRequest,
  type ProbeResponse,
} from '../messages.ts'
import {
  concretePath,
  hasWholeParameters,
  isAtOrBelow,
  lastOf,
  type RecordPath,
  recordTemplate,
  segmentsOf,
  UNKNOWN_RECORD,
  withPath,
} from '../record-address.ts'
import { withUsualValues } from '../test-data/sample-body.ts'
import { withOwnNames } from '../test-data/unguessable.ts'
import type { AcceptedBodies } from './accepted-bodies.ts'
import type { ChangeGate } from './change-gate.ts'
import { type ProviderState, requireGiven } from './given-requests.ts'
import { memberTemplate } from './item-templates.ts'
import { readOfPut } from './own-records.ts'
import type { SeenIds } from './seen-records.ts'
import type { UniqueValues } from './unique-values.ts'

/** What requests are built from. */
interface RequestSources {
  readonly contract: Contract
  readonly inputs: OperationInputs
  readonly ids: SeenIds
  readonly gate: ChangeGate
  readonly bodies: AcceptedBodies
  readonly unique: UniqueValues
  readonly send: (request: ProbeRequest) => Promise<ProbeResponse>
}

/** The methods that `fetch` forbids, and those whose requests it sends without a body. */
const NEVER_SENT = /^(CONNECT|TRACE)$/
const WITHOUT_BODY = /^(GET|HEAD)$/

/** Finds the input of operations when it is first needed. */
export class OperationInputs {
  readonly #found = new Map<Operation, Promise<OperationInput>>()
  readonly #given: Map<Operation, GivenInput>
  readonly #states: ReadonlyMap<Operation, ProviderState>
  /** What states returned, until the operation succeeds. */
  readonly #prepared = new Map<Operation, Promise<GivenInput>>()

  /** `given`: the values that the user gave; `states`: functions that prepare what operations need. */
  constructor(
    given: ReadonlyMap<Operation, GivenInput> = new Map(),
    states: ReadonlyMap<Operation, ProviderState> = new Map(),
  ) {
    this.#given = new Map(given)
    this.#states = states
  }

  /** The values that the state of an operation returned. Throws {@link NotSent} when it failed. */
  async prepare(operation: Operation): Promise<GivenInput> {
    const state = this.#states.get(operation)
    if (!state) return {}
    const prepared = this.#prepared.get(operation) ?? this.#call(state, operation)
    this.#prepared.set(operation, prepared)
    return await prepared
  }

  async #call(state: ProviderState, operation: Operation): Promise<GivenInput> {
    const what = `the values of the state for "${operation.id}"`
    try {
      const values = requireGiven((await state()) ?? {}, operation, what)
      this.#given.set(operation, { ...this.#given.get(operation), ...values })
      this.#found.delete(operation)
      return values
    } catch (error) {
      throw new NotSent(`its state failed: ${error instanceof Error ? error.message : error}`)
    }
  }

  /** Notes that an operation succeeded, so that its state is used up. */
  spend(operation: Operation): void {
    this.#prepared.delete(operation)
  }

  async of(operation: Operation): Promise<OperationInput> {
    await this.prepare(operation)
    const given = this.#given.get(operation)
    const found = this.#found.get(operation) ?? findInput(operation, { given })
    this.#found.set(operation, found)
    return await found
  }

  /** Later requests of an operation have a value for a parameter, as if the user had given it. */
  give(operation: Operation, name: string, value: unknown): void {
    const given = this.#given.get(operation)
    const parameters = { ...given?.parameters, [name]: value }
    this.#given.set(operation, { ...given, parameters })
    this.#found.delete(operation)
  }

  /** The body that the user gave; `undefined` without one. */
  bodyOf(operation: Operation): unknown {
    return this.#given.get(operation)?.body
  }

  /** Whether the user gave a value for a parameter. */
  isGiven(operation: Operation, name: string): boolean {
    return Object.hasOwn(this.#given.get(operation)?.parameters ?? {}, name)
  }
}

/**
 * A valid request for an operation. One that reads has the ids of records that earlier responses contained. One that changes
 * something is about a record of this run, which is created if there is none. Throws {@link NotSent} when there can be none, and
 * when no valid value was found for something that the operation requires.
 */
export async function validRequest(
  operation: Operation,
  sources: RequestSources,
  credentials: Credentials = 'key',
  givenPath?: string,
): Promise<ProbeRequest> {
  const { method } = operation
  if (NEVER_SENT.test(method)) throw new NotSent(`programs cannot send ${method} with fetch`)
  const { inputs } = sources
  const input = await inputs.of(operation)
  const forbidden = input.body && WITHOUT_BODY.test(method) ? `a body of ${method}` : undefined
  const missing = input.missing ?? forbidden
  if (missing !== undefined) throw new NotSent(`no valid value could be generated for ${missing}`)
  const { path, isGuessed } = isSafeMethod(method)
    ? pathOf(operation, input, sources)
    : { path: givenPath ?? (await ownPath(operation, sources)), isGuessed: false }
  const value = ownValueOf(operation, input.body?.value, path, sources)
  const changed =
    input.body && value !== input.body.value ? serializeBody(input.body.media, value) : undefined
  const body = changed ?? input.body

  return {
    operation,
    method,
    target: path + queryText(operation, input),
    credentials,
    headers: [...input.headers],
    cookies: [...input.cookies],
    ...(body && { body: body.text, type: body.type, sample: body.text }),
    isComplete: true,
    ...(isGuessed && { isGuessed }),
  }
}

/**
 * A request that creates a record. PUT has an id that nobody could guess, and a request to read the record shows first that there is
 * none.
 */
export async function creationRequest(
  operation: Operation,
  sources: RequestSources,
): Promise<ProbeRequest> {
  if (operation.method !== 'PUT') return await validRequest(operation, sources)
  const { contract, gate } = sources
  const entry = await newEntryPath(operation, sources)
  if (entry !== undefined) return await validRequest(operation, sources, 'key', entry)
  const parameter = operation.parameters.findLast((one) => one.in === 'path')
  const id = parameter && gate.ids.newId(parameter.schema, parameter.validate)
  const read = readOfPut(operation, contract)
  if (id === undefined || !read)
    throw new NotSent('the document allows no id that is surely unknown')
  const { parent, words } = await placeOf(operation, sources)
  const path = `/${[...parent, ...words, encodeURIComponent(id)].join('/')}`
  const plain = await validRequest(read, sources)
  const found = await sources.send({
    ...plain,
    target: withPath(plain.target, path),
    isInvalid: true,
  })
  if (!isGone(found)) throw new NotSent(`a request to read an unknown record got ${found.status}`)

  return await validRequest(operation, sources, 'key', path)
}

/** The path of an entry that names a new record of another collection, below a record of the run; `undefined` for all other records. */
async function newEntryPath(
  operation: Operation,
  sources: RequestSources,
): Promise<string | undefined> {
  const member = memberTemplate(operation, sources.contract)
  if (!member) return undefined
  const { parent, words } = await placeOf(operation, sources)
  const record = await createAt(member, operation, sources)
  // Nothing else changes or removes it before the end of the run.
  sources.gate.own.keep(record)
  return `/${[...parent, ...words, record.at(-1) ?? ''].join('/')}`
}

/** The path of the record of the run above a new one, and the words that follow it. */
async function placeOf(
  operation: Operation,
  sources: RequestSources,
): Promise<{ readonly parent: readonly string[]; readonly words: readonly string[] }> {
  const { own } = sources.gate
  const segments = segmentsOf(operation.path)
  const above = recordTemplate({ path: `/${segments.slice(0, -1).join('/')}` })
  const words = segments.slice(above.length, -1).map(encodeLiteral)
  if (above.length === 0) return { parent: [], words }
  const [base = ''] = operation.basePaths ?? []
  const found = own.find(above, base) ?? (await createAt(above, operation, sources))
  return { parent: found.slice(1), words }
}

/** The value of a body with ids and names that no other record has. */
export function ownValueOf(
  operation: Operation,
  value: unknown,
  path: string,
  { gate, bodies, inputs, unique }: Omit<RequestSources, 'contract' | 'ids' | 'send'>,
): unknown {
  const named = gate.creations.has(operation) ? withOwnNames(operation, value) : value
  // The user knows which records exist.
  if (inputs.bodyOf(operation) !== undefined) return unique.in(operation, named)
  const dated = operation.body ? withUsualValues(operation.body, named, gate.time) : named
  const known = gate.settings.valueOf(operation, unique.in(operation, dated))
  const own = gate.ids.inValue(known, operation, concretePath(operation, path))
  return bodies.accepted(operation, own)
}

/**
 * The path of a request that changes something: of a record that this run created or, for a creation, below one that it created or
 * that the user named.
 */
export async function ownPath(operation: Operation, sources: RequestSources): Promise<string> {
  const { gate, inputs } = sources
  const template = recordTemplate(operation)
  const segments = segmentsOf(operation.path)
  const end = operation.path.endsWith('/') ? '/' : ''
  if (!hasWholeParameters(operation)) throw new NotSent(UNKNOWN_RECORD)
  if (template.length === 0) {
    if (!gate.creations.has(operation))
      await gate.settings.read(operation, (request) => sources.send(request))
    return operation.path.split('?', 1)[0] ?? ''
  }
  const prepared = preparedPath(operation, await inputs.prepare(operation))
  const lent = prepared && concretePath(operation, prepared)
  if (lent) {
    gate.own.lend(lent.slice(0, template.length + 1))
    return prepared
  }
  const [base = ''] = operation.basePaths ?? []
  const isCreation = gate.creations.has(operation)
  const named = isCreation ? gate.named.find(template, base) : undefined
  // Records below one parent are a list with several pages.
  const own = isCreation ? gate.own.findFullest(template, base) : gate.own.find(template, base)
  const record =
    named ??
    own ??
    (await memberPath(operation, sources)) ??
    (await createAt(template, operation, sources))
  const rest = segments.slice(template.length).map(encodeLiteral)

  return `/${[...record.slice(1), ...rest].join('/')}${end}`
}

/**
 * The path of a record in a collection of another one, such as `/episodes/{id}/tags/{tagId}`, where the collection `/tags` has the
 * records. Both are of this run. `undefined` when a path is no such one.
 */
async function memberPath(
  operation: Operation,
  sources: RequestSources,
): Promise<RecordPath | undefined> {
  const { gate, contract } = sources
  const member = memberTemplate(operation, contract)
  if (!member || gate.creations.at(segmentsOf(operation.path), operation)) return undefined
  const [base = ''] = operation.basePaths ?? []
  const { parent, words } = await placeOf(operation, sources)
  const record = gate.own.find(member, base) ?? (await createAt(member, operation, sources))

  return [base, ...parent, ...words, lastOf(record.at(-1) ?? '')]
}

/** The path with the parameters that a state returned; `undefined` when it returned none. */
function preparedPath(operation: Operation, { parameters }: GivenInput): string | undefined {
  const names = operation.parameters.flatMap((one) => (one.in === 'path' ? [one.name] : []))
  if (names.some((name) => parameters?.[name] === undefined)) return undefined
  return fillPath(operation.path, (name) => encodeURIComponent(String(parameters?.[name])))
}

/** Creates the record at a path template that a request needs, and those above it. */
export async function createAt(
  template: readonly string[],
  operation: Operation,
  sources: RequestSources,
  wanted: NewRecord = {},
): Promise<RecordPath> {
  const { gate } = sources
  const [base = ''] = operation.basePaths ?? []
  const place = `/${template.join('/')}`
  const creation = gate.creations.at(template, operation)
  if (!creation) {
    throw new NotSent(
      gate.creations.has(operation)
        ? `it creates below ${place}, which no operation creates and --data does not name`
        : `it changes ${place}, which no operation creates and --setup does not prepare`,
    )
  }
  const failed = gate.failures.get(creation)
  if (failed !== undefined) throw new NotSent(failed)
  const response = await sendCreation(creation, sources, wanted)
  const { above } = wanted
  const record = gate.own.find(template, base)
  if (record && (!above || isAtOrBelow(record, above))) return record
  const what = `it needs a record of this run at ${place}`
  const reason = isSuccess(response)
    ? `${what}, and the response to ${creation.id} does not show the id of a new one`
    : `${what}, and ${creation.id} returned ${response.status}`
  // One record may refuse what is to be below it, while others take it.
  if (!above) gate.failures.set(creation, reason)
  throw new NotSent(reason)
}

/** Sends the creation of a record that a request needs: first with room for others, if they refer to it. */
async function sendCreation(
  creation: Operation,
  sources: RequestSources,
  { above, isReferred }: NewRecord,
): Promise<ProbeResponse> {
  const below = creation.method === 'POST' && above ? pathBelow(creation, above) : undefined
  const request: ProbeRequest = below
    ? { ...(await validRequest(creation, sources, 'key', below)), keepsParent: true }
    : await creationRequest(creation, sources)
  const roomy = isReferred ? withRoom(request) : request
  const response = await sources.send(roomy)
  return isSuccess(response) || roomy === request ? response : await sources.send(request)
}

/** What a new record has to be like. */
export interface NewRecord {
  /** The record below which it is to be. */
  readonly above?: RecordPath | undefined
  /** Whether others refer to it. */
  readonly isReferred?: boolean
}

/** Names of numbers that limit how many others may refer to a record. */
const AMOUNT =
  /(quantity|capacity|stock|seats|places|copies|inventory|available|limit|max\w*|total)$/i

/** So much is enough for a run. What is below a record has less, as that of all together may be limited. */
const ENOUGH = { top: 1000, below: 100 } as const

/** A request to create a record to which many others may refer, such as a ticket type with many tickets. */
function withRoom(request: ProbeRequest): ProbeRequest {
  const { operation, body = '' } = request
  const value = parseJsonText(body)
  if (!operation?.body || !isObject(value)) return request
  const names = Object.keys(value).filter(
    (name) => AMOUNT.test(name) && Number.isInteger(value[name]),
  )
  const enough = recordTemplate(operation).length === 0 ? ENOUGH.top : ENOUGH.below
  const roomy = names.reduce<unknown>((before, name) => {
    if (Number(value[name]) >= enough) return before
    const changed = withValueAt(before, [name], enough)
    return operation.body?.validate(changed) ? changed : before
  }, value)
  return roomy === value ? request : { ...request, body: JSON.stringify(roomy) }
}

/** The path of a request to an operation that is on a record, or below it; `undefined` when it needs a record below that one. */
function pathBelow(operation: Operation, record: RecordPath): string | undefined {
  const segments = segmentsOf(operation.path)
  const end = operation.path.endsWith('/') ? '/' : ''
  if (recordTemplate(operation).length !== record.length - 1) return undefined
  return `/${[...record.slice(1), ...segments.slice(record.length - 1).map(encodeLiteral)].join('/')}${end}`
}

/** Adds the required query parameters, headers and cookies that a request lacks. */
export async function completeRequest(
  request: ProbeRequest,
  inputs: OperationInputs,
): Promise<ProbeRequest> {
  const { operation, isComplete, target, headers = [], cookies = [] } = request
  if (isComplete || !operation) return request
  const isPlain = operation.parameters.every((one) => one.in === 'path' || !one.required)
  if (isPlain && !operation.conditions) return request
  const input = await inputs.of(operation)
  const given = new URL(target, 'http://server').searchParams
  const absent = operation.parameters.find(
    ({ in: place, name, required }) =>
      place === 'query' && required && !given.has(name) && !input.query.has(name),
  )
  if (absent) throw new NotSent(`no valid value could be generated for ${absent.name}`)
  const query = queryText(operation, input, (name) => !given.has(name))

  return {
    ...request,
    target: target.includes('?') ? target + query.replace('?', '&') : target + query,
    headers: [...headers, ...input.headers],
    cookies: [...cookies, ...input.cookies],
    isComplete: true,
  }
}

/** The path of a request that reads: with the ids of records, else with other valid values of its parameters. */
function pathOf(
  operation: Operation,
  input: OperationInput,
  { ids, gate, inputs }: RequestSources,
): { readonly path: string; readonly isGuessed: boolean } {
  const { parameters } = operation
  let isGuessed = false
  const path = fillPath(operation.path, (name, start, end) => {
    if (inputs.isGiven(operation, name)) return input.path.get(name)
    const isSegment = start.endsWith('/') && (end === '' || end.startsWith('/'))
    const named = isSegment ? namedId(operation, start, gate) : undefined
    const id = named ?? (isSegment ? ids.find(start.slice(0, -1), name) : undefined)
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name)
    const isValid = id !== undefined && (parameter?.validate(id) ?? true)
    if (!isValid) isGuessed = true

    return isValid ? encodeURIComponent(id) : input.path.get(name)
  })
  return { path, isGuessed }
}

/** The id of a record that the user named, whose collection has this path. */
function namedId(
  { path, basePaths }: Operation,
  start: string,
  gate: ChangeGate,
): string | undefined {
  const before = segmentsOf(start)
  const template = segmentsOf(path).slice(0, before.length + 1)
  const [base = ''] = basePaths ?? []
  const named = gate.named.find(template, base)
  const isHere = named?.slice(1, -1).join('/') === before.join('/')

  return named && isHere ? lastOf(named.join('/')) : undefined
}
