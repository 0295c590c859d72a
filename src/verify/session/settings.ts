import type { Contract, Operation, RequestBody } from '../../contract/contract.ts'
import { chooseResponse } from '../../contract/documented-response.ts'
import { parseJsonText } from '../../contract/json.ts'
import { parsePointer, propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { withValueAt } from '../../resources/views/record-body.ts'
import { isObject } from '../../validation/objects.ts'
import { isSuccess, NotSent, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import { boundTo, isSameTemplate, recordTemplate, segmentsOf, valueAt } from '../record-address.ts'
import { takesJson } from '../test-data/sample-body.ts'
import { includesValues, keyword, typeOf } from '../test-data/values.ts'

/** Sends a request. */
type Send = (request: ProbeRequest) => Promise<ProbeResponse>

/** The names of what services do not show as it is, so that it cannot be written back. */
const SECRET = /pass(word|phrase|code)|secret|token|credential|private|api[-_]?key|\bkey$/i

/** A value that stands for another one, such as `********`. */
const MASK = /^([*•●xX.]{3,}|<?(redacted|hidden|masked)>?)$/i

/** The last segments of paths whose POST is taken as a change of what GET returns. */
const SETTING =
  /(^|[-_.])(settings?|config(uration)?|preferences?|maintenance|options|limits?|mode|features?)$/i

/** How what exists once at a path is read and written. */
interface Setting {
  readonly path: string
  readonly read: Operation
  /** The operation that writes back what was read. */
  readonly restore: Operation
}

/** A setting that the run may have changed, or has changed for good. */
interface SettingState {
  readonly setting: Setting
  /** What can be written, as it was before the run. */
  readonly before: JsonObject
  isTouched: boolean
}

/** A setting that a run changed and could not restore. */
export interface UnrestoredSetting {
  readonly path: string
  readonly reason: string
  /** The request that restores it. */
  readonly request: ProbeRequest
}

/**
 * What exists once, such as settings: a run changes it only when the user allows that, only in properties that the service has, and
 * writes it back as it was.
 */
export class Settings {
  readonly unrestored: UnrestoredSetting[] = []
  readonly #contract: Contract
  readonly #isAllowed: boolean
  readonly #settings = new Map<Operation, Setting | string>()
  readonly #states = new Map<string, SettingState>()

  constructor(contract: Contract, isAllowed: boolean) {
    this.#contract = contract
    this.#isAllowed = isAllowed
  }

  /** Whether an operation changes what exists once, and what it changes can be read and written back. */
  has(operation: Operation): boolean {
    return typeof this.#find(operation) === 'object'
  }

  /** Why an operation must not be sent; `undefined` when it may, after {@link read}. */
  reasonToRefuse(operation: Operation): string | undefined {
    const setting = this.#find(operation)
    if (typeof setting === 'string') return setting
    if (!this.#isAllowed) return 'it changes what exists once, needs --allow-changes'
    const isLost = this.unrestored.some(({ path }) => path === setting.path)
    return isLost ? 'what it changes could not be restored before' : undefined
  }

  /** Why a request must not be sent, after {@link reasonToRefuse}: it may only have properties that the service has. */
  reasonOfBody({ operation, body }: ProbeRequest): string | undefined {
    const state = operation && this.#stateOf(operation)
    if (!operation || !state) return 'what it changes was not read before'
    const sent = valueAt(parseJsonText(body ?? ''), this.#placeOf(operation))
    const isKnown =
      isObject(sent) && Object.keys(sent).every((name) => Object.hasOwn(state.before, name))
    return isKnown ? undefined : 'its body has properties that the service does not have'
  }

  /** Reads what an operation changes, before its first request. Throws {@link NotSent} when it could not be restored. */
  async read(operation: Operation, send: Send): Promise<void> {
    const refusal = this.reasonToRefuse(operation)
    const setting = this.#find(operation)
    if (refusal !== undefined || typeof setting === 'string') throw new NotSent(refusal ?? '')
    if (this.#states.has(setting.path)) return
    const before = this.#writable(setting, await send(readRequest(setting)))
    const [secret] = Object.entries(before).find(([name, value]) => isSecret(name, value)) ?? []
    if (secret !== undefined) throw new NotSent(`it has a secret (${secret}), ${NO_WAY_BACK}`)
    const { body } = setting.restore
    const isValid = body?.validate(this.#bodyOf(setting.restore, before)) ?? false
    if (!isValid)
      throw new NotSent(`what ${setting.read.id} returns is no valid body, ${NO_WAY_BACK}`)
    this.#states.set(setting.path, { setting, before, isTouched: false })
  }

  /** The body with those properties only that the service has. Throws {@link NotSent} when it is invalid without the others. */
  valueOf(operation: Operation, value: unknown): unknown {
    const state = this.#stateOf(operation)
    if (!state) return value
    const sent = valueAt(value, this.#placeOf(operation))
    const known = this.#bodyOf(operation, isObject(sent) ? common(sent, state.before) : {})
    if (!operation.body?.validate(known) || isEmptyAt(known, this.#placeOf(operation))) {
      throw new NotSent('it would add properties, which could not be removed again')
    }
    return known
  }

  /** Notes that a request which can change something is about to be sent. */
  touch({ operation, method }: ProbeRequest): void {
    const state = operation?.method === method ? this.#stateOf(operation) : undefined
    if (state) state.isTouched = true
  }

  /** Restores what the requests since the last time have changed, and checks that. */
  async restore(send: Send): Promise<void> {
    for (const state of this.#states.values()) {
      if (!state.isTouched) continue
      await this.#restore(state, send)
      state.isTouched = false
    }
  }

  async #restore({ setting, before }: SettingState, send: Send): Promise<void> {
    const request = this.#restoringRequest(setting, before)
    const different = async (): Promise<string | undefined> => {
      const response = await send(readRequest(setting))
      return differenceOf(before, this.#writable(setting, response))
    }
    const attempt = async (): Promise<string | undefined> => {
      if ((await different()) === undefined) return undefined
      const { status } = await send(request)
      const rest = await different()
      return rest === undefined || isSuccess({ status }) ? rest : `${rest}; ${status} to the write`
    }
    const reason = await attempt().catch((error: unknown) =>
      error instanceof Error ? error.message : String(error),
    )
    if (reason !== undefined) this.unrestored.push({ path: setting.path, reason, request })
  }

  #restoringRequest({ restore, path }: Setting, before: JsonObject): ProbeRequest {
    return {
      operation: restore,
      method: restore.method,
      target: path,
      credentials: 'key',
      body: JSON.stringify(this.#bodyOf(restore, before)),
      type: restore.body?.mediaTypes[0] ?? 'application/json',
    }
  }

  #bodyOf(operation: Operation, record: JsonObject): unknown {
    return withValueAt(undefined, parsePointer(this.#placeOf(operation)), record)
  }

  #placeOf(operation: Operation): string {
    return boundTo(this.#contract, operation)?.hints.body ?? ''
  }

  /** The part of what a response shows that the restoring operation can write. Throws {@link NotSent} when there is none. */
  #writable({ read, restore }: Setting, response: ProbeResponse): JsonObject {
    const shown = valueAt(response.json, boundTo(this.#contract, read)?.hints.record ?? '')
    if (!isSuccess(response) || !isObject(shown) || Array.isArray(shown)) {
      throw new NotSent(
        `what ${read.id} returns shows no settings (${response.status}), ${NO_WAY_BACK}`,
      )
    }
    const names = writableNames(restore, this.#placeOf(restore))
    return Object.fromEntries(Object.entries(shown).filter(([name]) => names.has(name)))
  }

  #stateOf(operation: Operation): SettingState | undefined {
    const setting = this.#find(operation)
    return typeof setting === 'string' ? undefined : this.#states.get(setting.path)
  }

  /** The setting that an operation changes, or why it changes none that could be restored. */
  #find(operation: Operation): Setting | string {
    const found = this.#settings.get(operation) ?? this.#settingOf(operation)
    this.#settings.set(operation, found)
    return found
  }

  #settingOf(operation: Operation): Setting | string {
    const { method, path, body, conditions = [] } = operation
    const isPlain = recordTemplate(operation).length === 0 && conditions.length === 0
    if (!isPlain || !/^(PUT|PATCH|POST)$/.test(method) || /[?#]/.test(path)) return NO_RECORD
    const read = this.#readOf(operation)
    if (!read || !body || !takesJson(body)) return NO_RECORD
    if (method === 'POST' && !this.#isRepresentation(operation, read)) return NO_RECORD
    const secret = [...propertiesOf(body.schema)].find(
      ([name, schema]) =>
        schema.writeOnly || keyword(schema, 'format') === 'password' || SECRET.test(name),
    )
    if (secret) return `it changes a secret (${secret[0]}), ${NO_WAY_BACK}`
    const whole = this.#contract.operations.find(
      (one) => one.method === 'PUT' && one !== operation && isSamePlace(one, operation),
    )
    const hasWhole = whole && typeof this.#find(whole) === 'object'

    return { path: path.split('?', 1)[0] ?? path, read, restore: hasWhole ? whole : operation }
  }

  /** The operation that reads what exists once at the path of another one. */
  #readOf(operation: Operation): Operation | undefined {
    return this.#contract.operations.find((one) => {
      if (one.method !== 'GET' || !isSamePlace(one, operation) || one.conditions) return false
      const { documented } = chooseResponse(one)
      const isList = boundTo(this.#contract, one)?.action === 'list'
      return !isList && (!documented?.schema || typeOf(documented.schema) === 'object')
    })
  }

  /** Whether the body of a POST is what GET returns, rather than an order to do something. */
  #isRepresentation({ path, body }: Operation, read: Operation): boolean {
    const { documented } = chooseResponse(read)
    const place = boundTo(this.#contract, read)?.hints.record ?? ''
    const shown = documented?.schema && schemaAt(documented.schema, place)
    const names = body ? [...propertiesOf(body.schema).keys()] : []
    const properties = shown && propertiesOf(shown)
    return (
      SETTING.test(segmentsOf(path).at(-1) ?? '') &&
      names.length > 0 &&
      names.every((name) => properties?.has(name))
    )
  }
}

const NO_WAY_BACK = 'so that it could not be written back'

const NO_RECORD =
  'it changes what this run did not create: its path names no record that the run could create'

function isSamePlace(one: Operation, other: Operation): boolean {
  return (
    one.basePaths?.[0] === other.basePaths?.[0] &&
    isSameTemplate(segmentsOf(one.path), segmentsOf(other.path))
  )
}

function readRequest({ read, path }: Setting): ProbeRequest {
  return { operation: read, method: 'GET', target: path, credentials: 'key' }
}

function writableNames(
  { body }: Operation,
  place: string,
): { readonly has: (name: string) => boolean } {
  const properties = propertiesOf(schemaOf(body, place))
  return properties.size === 0 ? { has: () => true } : properties
}

function schemaOf(body: RequestBody | undefined, place: string): RequestBody['schema'] {
  return (body && schemaAt(body.schema, place)) ?? {}
}

function isSecret(name: string, value: unknown): boolean {
  return SECRET.test(name) || (typeof value === 'string' && MASK.test(value))
}

/** The part of an object whose properties another one has, too. */
function common(sent: JsonObject, known: JsonObject): JsonObject {
  const entries = Object.entries(sent).flatMap(([name, value]) => {
    if (!Object.hasOwn(known, name)) return []
    const other = known[name]
    return [[name, isObject(value) && isObject(other) ? common(value, other) : value] as const]
  })
  return Object.fromEntries(entries)
}

function isEmptyAt(body: unknown, place: string): boolean {
  const record = valueAt(body, place)
  return isObject(record) && Object.keys(record).length === 0
}

/** `"theme" was "dark", and is "x"`, for the first property that differs. */
function differenceOf(before: JsonObject, after: JsonObject): string | undefined {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const name = names.find((one) => !isSame(before[one], after[one]))
  if (name === undefined) return undefined
  return `"${name}" was ${textOf(before[name])}, and is ${textOf(after[name])}`
}

function isSame(one: unknown, other: unknown): boolean {
  return includesValues(one, other) && includesValues(other, one)
}

function textOf(value: unknown): string {
  return value === undefined ? 'absent' : JSON.stringify(value)
}
