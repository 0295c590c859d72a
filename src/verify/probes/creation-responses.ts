import type { Operation, Schema } from '../../contract/contract.ts'
import { chooseResponse } from '../../contract/documented-response.ts'
import { parseJsonText } from '../../contract/json.ts'
import { parseTemplate } from '../../contract/path-pattern.ts'
import { parsePointer, propertiesOf, schemaAt } from '../../contract/schema.ts'
import { surelyMatches } from '../../generate/matches.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { withValueAt } from '../../resources/views/record-body.ts'
import { areEqual, isObject, once } from '../../validation/objects.ts'
import {
  type CheckDefinition,
  type Evaluation,
  everyResponse,
  failure,
  isResponseTo,
  operationCheck,
  passIf,
} from '../checks/check.ts'
import { sentRecord } from '../checks/shown-values.ts'
import { isSuccess, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import {
  concretePath,
  idIn,
  isId,
  isItemOf,
  isOnItem,
  isParameter,
  lastOf,
  plainName,
  recordIn,
  recordsAt,
  segmentsOf,
  sentPlace,
  valueAt,
  valuesIn,
} from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { presetsOf, requiredOnly } from '../test-data/full-body.ts'
import { takesJson } from '../test-data/sample-body.ts'
import { unguessableId, unguessableWord, wordsOf } from '../test-data/unguessable.ts'
import { keyword, typeOf, withoutNull } from '../test-data/values.ts'
import { ORDER, type Probe } from './probe.ts'
import { creation, NOT_REACHED, onCreated, type Step, storyOf } from './steps.ts'

/**
 * What all responses to creations and lists say of the records: the address of a new one in `Location`, the ids of the records above
 * them, and that a refused one is not there.
 */
export function creationResponseChecks({
  bindings: { create, read, list },
}: BoundResource): CheckDefinition[] {
  return [
    ...(create && read ? [locationCheck(create, read)] : []),
    ...(create ? [...parentCheck(create), refusedCheck(create)] : []),
    ...(list ? parentCheck(list) : []),
  ]
}

/** What a service refuses to create is shown by no later read: a word of its request, which no accepted one has, is nowhere. */
function refusedCheck({ operation }: ResourceBinding): CheckDefinition {
  const name = 'creates nothing when it refuses a request'
  return operationCheck(operation, 'refused', name, (all) => {
    const { accepted, shown } = wordsIn(all)
    const refused = all.flatMap((one) => {
      const isRefused = one.status >= 400 && one.status < 500 && one.status !== 429
      return isResponseTo(operation, one) && isRefused ? wordsOf(one.request.body ?? '') : []
    })
    const words = refused.filter((word) => !accepted.has(word))
    const found = words.flatMap((word) => shown.get(word) ?? [])[0]
    if (words.length === 0) return NOT_REACHED
    return found ? failure(found, 'no record of a refused request') : 'passed'
  })
}

/** The words of the run in requests that were accepted, and the first read that shows each word. */
const wordsIn = once((all: readonly ProbeResponse[]) => {
  const successes = all.filter(isSuccess)
  const accepted = new Set(
    successes.flatMap(({ request: { body = '', target } }) => wordsOf(body + target)),
  )
  const shown = new Map<string, ProbeResponse>()
  for (const one of successes.filter(({ request }) => request.method === 'GET'))
    for (const word of wordsOf(one.text)) if (!shown.has(word)) shown.set(word, one)
  return { accepted, shown }
})

/** A mask stands for a secret that is not shown. */
const MASK = /^[*•●xX.…]*$/

/** Write-only properties are in no response (OpenAPI, Schema Object, `writeOnly`). */
export function writeOnlyChecks({ bindings, actions }: BoundResource): CheckDefinition[] {
  const all = [...new Set([...Object.values(bindings), ...actions])]
  const names = new Set(
    all.flatMap((one) =>
      [...propertiesOf(schemaAt(one.operation.body?.schema ?? {}, sentPlace(one)) ?? {})].flatMap(
        ([name, { writeOnly }]) => (writeOnly ? [name] : []),
      ),
    ),
  )
  const isShown = (value: unknown): boolean =>
    value !== undefined && value !== null && !MASK.test(String(value))
  if (names.size === 0) return []
  return all.map((binding) => {
    const evaluate = (response: ProbeResponse): Evaluation => {
      const shown = binding.action === 'list' ? recordsAt(response, binding) : undefined
      const records = shown ?? [recordIn(response, binding)]
      const name = [...names].find((one) =>
        records.some((record) => {
          const values = valuesIn(record)
          return isObject(values) && isShown(values[one])
        }),
      )
      return passIf(name === undefined, response, `no "${name}", which is write-only`)
    }
    return operationCheck(
      binding.operation,
      'write-only',
      'shows no write-only property',
      everyResponse((one) => isResponseTo(binding.operation, one) && isSuccess(one), evaluate),
    )
  })
}

/** `Location` is the address of the new record (RFC 9110, section 10.2.2). */
function locationCheck(create: ResourceBinding, read: ResourceBinding): CheckDefinition {
  const isInCollection = isItemOf(create.operation, read.operation)
  const name = 'names the created record in Location, if it has that header'
  return operationCheck(
    create.operation,
    'location',
    name,
    everyResponse(
      (response) => isCreated(response, create) && response.headers.has('Location'),
      (created) => {
        const location = created.headers.get('Location') ?? ''
        const id = idIn(recordIn(created, create), create)
        const isOther =
          id !== undefined &&
          (isInCollection
            ? isOtherRecord(location, created.url, id)
            : isOtherThan(id, location, created.url, read))
        return passIf(!isOther, created, `an address that ends with ${id}`, `Location: ${location}`)
      },
    ),
    { clause: 'RFC 9110, section 10.2.2' },
  )
}

function isCreated({ request, status }: ProbeResponse, { operation }: ResourceBinding): boolean {
  return request.operation === operation && status === 201 && request.method === 'POST'
}

/** Whether an address is that of the collection, or of another record in it. */
function isOtherRecord(location: string, url: string, id: string): boolean {
  if (!URL.canParse(location, url)) return true
  const [named, collection] = [new URL(location, url), new URL(url)].map(({ pathname }) =>
    pathname.replace(/\/$/, ''),
  )
  if (named === undefined || collection === undefined) return false
  if (named === collection) return true
  const [last, above] = [lastOf(named), named.slice(0, named.lastIndexOf('/'))]
  // A record may have several names.
  const isNumber = /^\d+$/.test(id) === /^\d+$/.test(last)
  const isSameServer = new URL(location, url).origin === new URL(url).origin
  const lacksBase = above.length > 1 && above !== collection && collection.endsWith(above)

  return (above === collection && last !== id && isNumber) || (isSameServer && lacksBase)
}

/** Whether an address is that of another record at the path that reads records, such as `/notes/7` for one that was added to a book. */
function isOtherThan(
  id: string,
  location: string,
  url: string,
  { operation }: ResourceBinding,
): boolean {
  if (!URL.canParse(location, url)) return true
  const template = segmentsOf(operation.path)
  const segments = segmentsOf(new URL(location, url).pathname).slice(-template.length)
  const isAtItem = segments.every(
    (one, at) => isParameter(template[at] ?? '') || one === template[at],
  )
  const last = lastOf(`/${segments.join('/')}`)
  return (
    segments.length === template.length &&
    isAtItem &&
    last !== id &&
    /^\d+$/.test(id) === /^\d+$/.test(last)
  )
}

/** A record below another one has the id of that one, where it shows a property with the name of the path parameter. */
function parentCheck(binding: ResourceBinding): CheckDefinition[] {
  const { operation, resource, action } = binding
  const isList = action === 'list'
  const shown = propertiesOf(isList ? resource.schema : shownSchema(binding))
  const names = parseTemplate(operation.path).names.flatMap((parameter) => {
    const wanted = plainName(parameter)
    const name = [...shown.keys()].find((one) => plainName(one) === wanted)
    return name === undefined || name === resource.id ? [] : [[parameter, name] as const]
  })
  if (names.length === 0) return []
  const isSelected = (one: ProbeResponse): boolean =>
    isList ? isResponseTo(operation, one) && isSuccess(one) : isCreated(one, binding)
  const recordsOf = (response: ProbeResponse): readonly unknown[] =>
    isList ? (recordsAt(response, binding) ?? []) : [recordIn(response, binding)]
  const text = isList ? 'lists records of the path only' : 'returns the ids of the records above'
  const evaluate = everyResponse(isSelected, (response) => {
    for (const [parameter, name] of names) {
      const sent = segmentFor(parameter, operation, response)
      const values = recordsOf(response).map((one) => (isObject(one) ? one[name] : undefined))
      const wrong = values.find(
        (value) =>
          isId(value) &&
          /^\d+$/.test(sent) === /^\d+$/.test(String(value)) &&
          String(value) !== sent,
      )
      if (wrong !== undefined) return failure(response, `"${name}": ${sent}`, `"${name}": ${wrong}`)
    }
    return 'passed'
  })
  // Paths may have another name of the record above than its records.
  const isNamed = (all: readonly ProbeResponse[]): boolean =>
    all.filter(isSelected).some((response) =>
      names.every(([parameter, name]) => {
        const sent = segmentFor(parameter, operation, response)
        return recordsOf(response).some((one) => isObject(one) && String(one[name]) === sent)
      }),
    )
  return [
    operationCheck(operation, 'parents', text, (all, records) =>
      isList && !isNamed(all) ? NOT_REACHED : evaluate(all, records),
    ),
  ]
}

function segmentFor(parameter: string, operation: Operation, { request }: ProbeResponse): string {
  const at = segmentsOf(operation.path).indexOf(`{${parameter}}`)
  // The first part of a record's path is its base path.
  return lastOf(concretePath(operation, request.target)?.[at + 1] ?? '')
}

function shownSchema({ operation, hints }: ResourceBinding): Schema {
  const { schema } = chooseResponse(operation).documented ?? {}
  return (schema && schemaAt(schema, hints.record ?? '')) ?? {}
}

/** Values for what only the service sets, which the request has besides. The service may refuse it, or not use them. */
export function readOnlyProbes({ bindings }: BoundResource): Probe[] {
  const { create, read, update, replace } = bindings
  if (!create?.operation.body || !takesJson(create.operation.body)) return []
  const changes = [update, replace].flatMap((one) => (one && one !== create ? [one] : []))
  const change = changes.flatMap((one) =>
    read && [one, read].every((each) => isOnItem(create, each))
      ? readOnlyChangeProbe(create, read, one)
      : [],
  )
  return [...readOnlyCreationProbe(create), ...readOnlyStateProbe(create), ...change]
}

function readOnlyCreationProbe(create: ResourceBinding): Probe[] {
  const values = readOnlyValues(create)
  if (values.length === 0) return []
  const name = `lets no client set ${values.map(([one]) => one).join(', ')}`
  const step = creation(create, (request) => withSent(request, create, values))
  const check = operationCheck(create.operation, 'read-only', name, ([created]) =>
    created ? notTaken(created, create, values) : NOT_REACHED,
  )
  return [storyOf(ORDER.createComplete + 0.5, [step], [check])]
}

/** A creation in another state than that of new records, which only the service sets. */
function readOnlyStateProbe(create: ResourceBinding): Probe[] {
  const [state] = [...propertiesOf(shownSchema(create))].filter(
    ([name, one]) => one.readOnly && keyword(one, 'enum') && !isSentBy(create, name),
  )
  if (!state) return []
  const [name, { enum: members = [] }] = state
  const stateOf = (created: ProbeResponse | undefined): unknown => {
    const record = created && isSuccess(created) ? recordIn(created, create) : undefined
    return isObject(record) ? record[name] : undefined
  }
  const step = creation(create, (request, [first]) => {
    const before = stateOf(first)
    const other = members.find((one) => one !== before && one !== null)
    const isKnown = before !== undefined && other !== undefined
    return isKnown ? withSent(request, create, [[name, other]]) : undefined
  })
  const text = `lets no client set ${name}`
  const check = operationCheck(create.operation, `read-only/${name}`, text, ([first, second]) => {
    const [before, after] = [stateOf(first), stateOf(second)]
    if (!second || before === undefined || after === undefined) return NOT_REACHED
    const sent = valueAt(parseJsonText(second.request.body ?? ''), create.hints.body ?? '')
    const isTaken = after !== before && isObject(sent) && sent[name] === after
    return passIf(!isTaken, second, `"${name}": ${JSON.stringify(before)}`)
  })
  return [storyOf(ORDER.createComplete + 0.55, [creation(create), step], [check])]
}

/** A creation with more values, as far as the body stays valid. */
function withSent(
  request: ProbeRequest,
  { operation, hints }: ResourceBinding,
  values: SentValues,
): ProbeRequest {
  const place = parsePointer(hints.body ?? '')
  const body = values.reduce<unknown>(
    (before, [property, value]) => {
      const changed = withValueAt(before, [...place, property], value)
      return operation.body?.validate(changed) ? changed : before
    },
    parseJsonText(request.body ?? ''),
  )

  return { ...request, body: JSON.stringify(body) }
}

/** A change of a state that only actions and the service set, and of times and numbers of the service: no client can send them. */
function readOnlyChangeProbe(
  create: ResourceBinding,
  read: ResourceBinding,
  change: ResourceBinding,
): Probe[] {
  const { operation } = change
  const sent = propertiesOf(schemaAt(operation.body?.schema ?? {}, sentPlace(change)) ?? {})
  const [state] = [...propertiesOf(read.resource.schema)].filter(
    ([name, property]) => property.readOnly && keyword(property, 'enum') && !sent.has(name),
  )
  const kept = [...propertiesOf(read.resource.schema)].filter(
    ([name, property]) => property.readOnly && !sent.has(name),
  )
  const flags = kept.filter(([, one]) => typeOf(one) === 'boolean').map(([name]) => name)
  const values = new Map([...readOnlyValues(change), ...kept.flatMap(referenceTo)])
  const names = [...(state ? [state[0]] : []), ...values.keys(), ...flags]
  if (names.length === 0 || !operation.body || !takesJson(operation.body)) return []
  const text = `lets no client set ${names.join(', ')}`
  const check = operationCheck(operation, `read-only/${names[0]}`, text, (all) => {
    const [created, changed, found] = all
    const [before, after] = [created, found].map(
      (one) => one && isSuccess(one) && valuesIn(recordIn(one, one === created ? create : read)),
    )
    const wanted = changed && valueAt(parseJsonText(changed.request.body ?? ''), sentPlace(change))
    if (!found || !isObject(before) || !isObject(after) || !isObject(wanted)) return NOT_REACHED
    const taken = names.find(
      (name) => name in wanted && after[name] === wanted[name] && before[name] !== wanted[name],
    )
    const expected = `"${taken}": ${JSON.stringify(before[taken ?? ''])}, as it was`
    return passIf(taken === undefined, found, expected)
  })
  const step: Step = async (session, before) => {
    const [created] = before
    const record = created && isSuccess(created) ? valuesIn(recordIn(created, create)) : undefined
    const request = await onCreated(change, create, 0)(session, before)
    if (!request || !isObject(record)) return undefined
    const other = state && keyword(state[1], 'enum')?.find((one) => one !== record[state[0]])
    const turned = flags.flatMap((name) =>
      typeof record[name] === 'boolean' ? [[name, !record[name]] as const] : [],
    )
    const all = new Map([...(state ? [[state[0], other] as const] : []), ...values, ...turned])
    const first = parseJsonText(request.body ?? '')
    const body = [...all].reduce<unknown>((own, [name, value]) => {
      const keys = [...parsePointer(sentPlace(change)), name]
      const next = value === undefined ? own : withValueAt(own, keys, value)
      return operation.body?.validate(next) ? next : own
    }, first)
    return body === first ? undefined : { ...request, body: JSON.stringify(body) }
  }
  const steps = [creation(create), step, onCreated(read, create, 0)]
  return [storyOf(ORDER.change + 0.55, steps, [check])]
}

/** Names of what decides who may use a record: a service that trusts a request would lose it. */
const OWNER = /owner|user|account|tenant|org|role|admin|caller|created_?by/i

/** A reference that only the service sets, with the id of no record. */
function referenceTo([name, property]: readonly [string, Schema]): SentValues {
  if (!/(_i|I)ds?$/.test(name) || OWNER.test(name)) return []
  const schema = withoutNull(property)
  const id = unguessableId(schema, (value) => surelyMatches(schema, value))
  return id === undefined ? [] : [[name, id]]
}

/** What a new record is not given has its default, where the document has one for the request. */
export function defaultProbes({ bindings: { create } }: BoundResource): Probe[] {
  if (!create?.operation.body || !takesJson(create.operation.body)) return []
  const shown = propertiesOf(shownSchema(create))
  const presets = presetsOf(create).filter(([name]) => shown.has(name))
  const hidden = hiddenDefaultProbes(create)
  if (presets.length === 0) return hidden
  const names = presets.map(([name]) => name).join(', ')
  const text = `sets the default of ${names} in a new record without it`
  const check = operationCheck(create.operation, 'defaults', text, ([created]) => {
    const record = created && isSuccess(created) ? valuesIn(recordIn(created, create)) : undefined
    const sent = valueAt(parseJsonText(created?.request.body ?? ''), sentPlace(create))
    if (!created || !isObject(record)) return NOT_REACHED
    const other = presets.find(
      ([name, preset]) =>
        !(isObject(sent) && name in sent) &&
        Object.hasOwn(record, name) &&
        !areEqual(record[name], preset),
    )
    return passIf(!other, created, `"${other?.[0]}": ${JSON.stringify(other?.[1])}, the default`)
  })
  const step = creation(create, (request) => requiredOnly(request, create))
  return [storyOf(ORDER.createComplete + 0.6, [step], [check]), ...hidden]
}

/** So much later is a time that a default does not change, in milliseconds: several creations take a moment. */
const MOMENT = 60_000

/**
 * A default of a value that records do not show, such as the days for which something is lent: what the service makes of a request without
 * it is what it makes of one with the default.
 */
function hiddenDefaultProbes(create: ResourceBinding): Probe[] {
  const shown = propertiesOf(shownSchema(create))
  const sent = propertiesOf(schemaAt(create.operation.body?.schema ?? {}, sentPlace(create)) ?? {})
  const made = [...shown.keys()].filter((name) => !sent.has(name))
  return presetsOf(create).flatMap(([name, preset]) => {
    if (shown.has(name) || made.length === 0) return []
    const text = `makes the same of a request without ${name} as of one with its default`
    const check = operationCheck(create.operation, `defaults/${name}`, text, (responses) => {
      const [plain, preset, again] = responses.map((one) =>
        isSuccess(one) ? valuesIn(recordIn(one, create)) : undefined,
      )
      const [, found] = responses
      if (!found || !isObject(plain) || !isObject(preset) || !isObject(again)) return NOT_REACHED
      const isSent = [0, 1, 2].map((at) => hasSent(responses[at], create, name))
      if (isSent.join() !== 'false,true,false') return NOT_REACHED
      const other = made.find(
        (one) => isAlike(plain[one], again[one]) && !isAlike(plain[one], preset[one]),
      )
      const value = other === undefined ? '' : JSON.stringify(plain[other])
      return passIf(other === undefined, found, `"${other}": ${value}, as without ${name}`)
    })
    const plain = creation(create, (request) => requiredOnly(request, create))
    const given = creation(create, (request) => requiredOnly(request, create, { [name]: preset }))
    return [storyOf(ORDER.createComplete + 0.65, [plain, given, plain], [check])]
  })
}

function hasSent(
  response: ProbeResponse | undefined,
  create: ResourceBinding,
  name: string,
): boolean {
  const sent = response && sentRecord(response, create)
  return isObject(sent) && name in sent
}

/** Whether two values are the same, or times of the same moment. */
function isAlike(one: unknown, other: unknown): boolean {
  if (areEqual(one, other)) return true
  const isTime = [one, other].every((text) => /^\d{4}-\d\d-\d\dT/.test(String(text)))
  if (!isTime || typeof one !== 'string' || typeof other !== 'string') return false
  return Math.abs(Date.parse(one) - Date.parse(other)) < MOMENT
}

type SentValues = readonly (readonly [name: string, value: unknown])[]

function notTaken(created: ProbeResponse, create: ResourceBinding, values: SentValues): Evaluation {
  const record = recordIn(created, create)
  if (!isSuccess(created) || !isObject(record)) return NOT_REACHED
  const sent = valueAt(parseJsonText(created.request.body ?? ''), create.hints.body ?? '')
  const taken = values.find(
    ([name, value]) => isObject(sent) && sent[name] === value && record[name] === value,
  )
  return passIf(!taken, created, `a value of the service for ${taken?.[0]}, which is readOnly`)
}

/** Names of what a request had better not set: a service may trust it. */
const REFERENCE = /id$|owner|user|account|tenant|role|admin/i

function readOnlyValues(create: ResourceBinding): SentValues {
  const { resource, hints } = create
  return [...propertiesOf(shownSchema(create))].flatMap(([name, property]) => {
    const isOwn = name === resource.id || name === hints.id || isSentBy(create, name)
    const value = property.readOnly && !isOwn ? unlikelyValue(property) : undefined
    return value !== undefined && surelyMatches(property, value) ? [[name, value] as const] : []
  })
}

/** Whether a request has a value of a property of its own, or had better not set it. */
function isSentBy({ operation, hints }: ResourceBinding, name: string): boolean {
  const sent = propertiesOf(schemaAt(operation.body?.schema ?? {}, hints.body ?? '') ?? {})
  return REFERENCE.test(name) || (sent.has(name) && !sent.get(name)?.readOnly)
}

/** A value that a service does not set by chance. */
function unlikelyValue(property: Schema): unknown {
  if (['enum', 'const', 'pattern'].some((one) => keyword(property, one as 'enum') !== undefined))
    return undefined
  switch (typeOf(property)) {
    case 'integer':
    case 'number':
      return 987_654
    case 'string':
      return keyword(property, 'format') === 'date-time'
        ? '2001-02-03T04:05:06Z'
        : unguessableWord()
    default:
      return undefined
  }
}
