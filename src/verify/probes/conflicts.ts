import { parseJsonText } from '../../contract/json.ts'
import { parsePointer, propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { surelyMatches } from '../../generate/matches.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { withValueAt } from '../../resources/views/record-body.ts'
import { isObject } from '../../validation/objects.ts'
import { operationCheck, passIf } from '../checks/check.ts'
import { sentRecord } from '../checks/shown-values.ts'
import { isSuccess, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import { createdId, isOnItem, sentPlace, valueAt } from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { isInvalidInput } from '../session/accepted-bodies.ts'
import { ANY_CASE, hasWords, sentencesOf, spaced } from '../session/stated-rules.ts'
import { type GivenValues, requiredOnly, withValues } from '../test-data/full-body.ts'
import { unguessableWord, withOtherValues } from '../test-data/unguessable.ts'
import { typeOf } from '../test-data/values.ts'
import { ORDER, type Probe } from './probe.ts'
import { creation, NOT_REACHED, onCreated, type Step, storyOf } from './steps.ts'

/** Names of properties that belong to one record only. */
const IDENTIFIES =
  /^(e-?mail([-_]?address)?|user[-_]?name|login|slug|handle|domain|sku|isbn|iban|vin|code|key|serial|barcode|plate)$|[a-z][-_]?(number|code|sku|serial|plate)$/i

/** Names of numbers and codes that many records share. */
const SHARED =
  /zip|post|country|currency|language|locale|phone|mobile|fax|house|street|room|area|bank|account|error|status|type|discount|promo|colou?r/i

/**
 * A second record like one that exists; only where the document has a 409, and clients choose ids or send what identifies
 * one record, such as an e-mail address.
 */
export function conflictProbes(
  { bindings: { create, update, replace } }: BoundResource,
  texts: DocumentTexts,
): Probe[] {
  // PUT replaces the record.
  if (create?.operation.method !== 'POST' || !hasConflict(create)) return []
  const named = [update, replace].flatMap((one) =>
    one && hasConflict(one) && isOnItem(create, one) ? nameProbes(create, one, texts) : [],
  )
  const byCase = caseProbes(create, texts)
  if (!isAboutExisting(create, texts)) return [...named, ...byCase]
  const check = operationCheck(
    create.operation,
    'conflict',
    'refuses a record that exists already with a 409',
    ([first, second]) =>
      first && second && isSuccess(first)
        ? passIf(second.status === 409, second, '409')
        : NOT_REACHED,
  )
  const again = creation(
    create,
    (request, [first]) => {
      const sent = first && isSuccess(first) ? parseJsonText(first.request.body ?? '') : undefined
      const id = first && createdId(first, create)
      if (!isObject(sent) || id === undefined) return undefined
      const body = JSON.stringify(withId(sent, id, create))
      return { ...request, body, isExact: true, isRepeated: true }
    },
    0,
  )
  const changes = [update, replace].flatMap((one) =>
    one && hasConflict(one) && isOnItem(create, one)
      ? [...changeProbe(create, one, texts), ...ownValuesProbe(create, one, texts)]
      : [],
  )
  const story = storyOf(ORDER.largeInteger, [creation(create), again], [check])
  return [story, ...changes, ...named, ...byCase]
}

/** A record whose name differs from that of another one in capitals only, where the document says that these are the same. */
function caseProbes(create: ResourceBinding, texts: DocumentTexts): readonly Probe[] {
  const { operation } = create
  const properties = propertiesOf(schemaAt(operation.body?.schema ?? {}, sentPlace(create)) ?? {})
  const ofOperation = sentencesOf(texts.operation(operation.id)).filter((one) =>
    /\b409\b|\bunique\b|\bno two\b/i.test(one),
  )
  return [...properties].flatMap(([name, schema]) => {
    const about = ofOperation.filter((one) => hasWords(one, spaced(name)))
    const said = sentencesOf(texts.property(operation.id, name))
    const isUnique = said.some((one) => /\bunique\b|\bno two\b/i.test(one))
    const own = isUnique ? said.filter((one) => !/\b(search|filter|sort|order)/i.test(one)) : []
    const sentence = [...own, ...about].find((one) => ANY_CASE.test(one))
    return sentence !== undefined && typeOf(schema) === 'string'
      ? [caseProbe(create, name, sentence)]
      : []
  })
}

function caseProbe(create: ResourceBinding, name: string, sentence: string): Probe {
  const valueIn = (response: ProbeResponse | undefined): string | undefined => {
    const sent = response && sentRecord(response, create)
    const value = isObject(sent) ? sent[name] : undefined
    return typeof value === 'string' ? value : undefined
  }
  const text = `refuses the ${name} of another record in capitals with a 409`
  const check = operationCheck(
    create.operation,
    `conflict/${name}/case`,
    text,
    ([first, second]) => {
      const [own, other] = [first, second].map(valueIn)
      if (!first || !second || !isSuccess(first) || own === undefined) return NOT_REACHED
      const isOtherCase = own !== other && own.toLowerCase() === other?.toLowerCase()
      if (!isOtherCase || isInvalidInput(second)) return NOT_REACHED
      return passIf(second.status === 409, second, `409: "${sentence.trim()}"`)
    },
  )
  const inCapitals = creation(
    create,
    (request, [first]) => {
      const own = first && isSuccess(first) ? valueIn(first) : undefined
      if (own === undefined) return undefined
      const upper = own === own.toUpperCase() ? own.toLowerCase() : own.toUpperCase()
      const other = withOtherValues(request, create)
      const values = { ...namedValues(first, create, sentence), [name]: upper }
      return { ...withValues(other, create, values), isRepeated: true }
    },
    0,
  )
  return storyOf(ORDER.largeInteger + 0.25, [creation(create), inCapitals], [check])
}

/** What was sent for the properties that a sentence names: a title may be unique together with the year. */
function namedValues(
  created: ProbeResponse | undefined,
  create: ResourceBinding,
  sentence: string,
): JsonObject {
  const sent = created && sentRecord(created, create)
  const named = Object.entries(isObject(sent) ? sent : {}).filter(([one]) =>
    hasWords(spaced(sentence), spaced(one)),
  )
  return Object.fromEntries(named)
}

/** The names that records may not have twice, where a creation shows that. */
export const NAME: RegExp = /^(name|title|label)$/i

/** What an operation says of values that each record has of its own: "The name and the pitch must each be unique". */
const EACH_UNIQUE = /\bunique\b/i

/** The most properties of a change that are tried with the values of another record. */
const MAX_NAMES = 2

/** Changes to a name of another record, and to what the description of the creation says that one record has only. */
function nameProbes(
  create: ResourceBinding,
  change: ResourceBinding,
  texts: DocumentTexts,
): Probe[] {
  const sent = propertiesOf(schemaAt(create.operation.body?.schema ?? {}, sentPlace(create)) ?? {})
  const { body } = change.operation
  const changed = propertiesOf(schemaAt(body?.schema ?? {}, sentPlace(change)) ?? {})
  const said = sentencesOf(texts.operation(create.operation.id)).filter((one) =>
    EACH_UNIQUE.test(one),
  )
  const isSaid = (name: string): boolean => said.some((one) => hasWords(one, spaced(name)))
  const conflicts = [create, change].flatMap(({ operation: { id } }) =>
    sentencesOf(texts.anyResponse(id, 409)),
  )
  const isText = (name: string): boolean => typeOf(sent.get(name) ?? {}) === 'string'
  const identifiers = identifiersIn(create, texts)
  const names = [...sent.keys()].filter(
    // A conflict may be one of another property.
    (one) =>
      isText(one) &&
      changed.has(one) &&
      !identifiers.includes(one) &&
      (isSaid(one) ||
        (NAME.test(one) &&
          identifiers.length === 0 &&
          !isInPair(one, [...sent.keys()], conflicts))),
  )
  return names.slice(0, MAX_NAMES).map((name) => nameProbe(create, change, name))
}

/** Whether a record is known by a property together with another one: "There is another piece with this title and composer". */
function isInPair(name: string, names: readonly string[], sentences: readonly string[]): boolean {
  const own = spaced(name)
  const pairs = names.flatMap((one) => [`${own} and ${spaced(one)}`, `${spaced(one)} and ${own}`])
  return sentences.some((sentence) => pairs.some((pair) => hasWords(spaced(sentence), pair)))
}

/** A change to the value of another record; only where the service has refused a new record with it, and with no other value. */
function nameProbe(create: ResourceBinding, change: ResourceBinding, name: string): Probe {
  const nameOf = (record: unknown): unknown => (isObject(record) ? record[name] : undefined)
  const nameIn = (created: ProbeResponse | undefined): unknown =>
    created && isSuccess(created) ? nameOf(sentRecord(created, create)) : undefined
  const text = `refuses the ${name} of another record with a 409`
  const check = operationCheck(change.operation, `conflict/${name}`, text, (all) => {
    const [first, second, again, renamed, changed] = all
    if (!first || !second || !again || !renamed || !changed || !isSuccess(second))
      return NOT_REACHED
    if (again.status !== 409 || !isSuccess(renamed))
      return { leftOut: `several records may have one ${name}` }
    return isInvalidInput(changed) ? NOT_REACHED : passIf(changed.status === 409, changed, '409')
  })
  const withName =
    (binding: ResourceBinding) =>
    (request: ProbeRequest, value: unknown): ProbeRequest => ({
      ...withValues(withOtherValues(request, binding), binding, { [name]: value }),
      isRepeated: true,
    })
  const again = creation(
    create,
    (request, [first]) =>
      nameIn(first) === undefined ? undefined : withName(create)(request, nameIn(first)),
    0,
  )
  // Something else may be the reason of the conflict, such as a number.
  const renamed = creation(
    create,
    (request, [first, , refused]) => {
      if (refused?.status !== 409) return undefined
      const { body = '' } = refused.request
      const own = nameOf(valueAt(parseJsonText(request.body ?? ''), sentPlace(create)))
      const other = own === undefined || own === nameIn(first) ? unguessableWord() : own
      return { ...withValues({ ...request, body }, create, { [name]: other }), isRepeated: true }
    },
    0,
  )
  const step: Step = async (session, before) => {
    const value = nameIn(before[0])
    const next = onCreated(change, create, 1, (request) =>
      change.operation.method === 'PATCH'
        ? { ...requiredOnly(request, change, { [name]: value }), isRepeated: true }
        : withName(change)(request, value),
    )
    return value === undefined ? undefined : await next(session, before)
  }
  const other = creation(create, (request) => withOtherValues(request, create), 0)
  const steps = [creation(create), other, again, renamed, step]
  return storyOf(ORDER.largeInteger + 0.2, steps, [check])
}

export function hasConflict({ operation }: ResourceBinding): boolean {
  return operation.responses.some(({ status }) => status === 409)
}

/**
 * A change of a record to the values that identify another one; only where the service has refused a new record with these values, and
 * no others of that record.
 */
function changeProbe(
  create: ResourceBinding,
  change: ResourceBinding,
  texts: DocumentTexts,
): Probe[] {
  const names = identifiersOf(create, change, texts)
  if (names.length === 0) return []
  const name = 'refuses what identifies another record with a 409'
  const check = operationCheck(change.operation, 'conflict', name, (all) => {
    const [first, second, again, changed] = all
    if (!first || !second || !again || !changed || !isSuccess(second)) return NOT_REACHED
    if (again.status !== 409) return { leftOut: 'several records may have these values' }
    return isInvalidInput(changed) ? NOT_REACHED : passIf(changed.status === 409, changed, '409')
  })
  const withTaken =
    (binding: ResourceBinding) =>
    (request: ProbeRequest, first: ProbeResponse | undefined): ProbeRequest | undefined => {
      const taken = sentValues(first, create, names)
      if (!taken) return undefined
      const own = binding === create ? withOtherValues(request, create) : request
      return { ...withValues(own, binding, taken), isRepeated: true }
    }
  const other = creation(create, (request) => withOtherValues(request, create), 0)
  const again = creation(create, (request, [first]) => withTaken(create)(request, first), 0)
  const step: Step = async (session, before) => {
    if (before[2]?.status !== 409) return undefined
    const changed = (request: ProbeRequest) => withTaken(change)(request, before[0]) ?? request
    return await onCreated(change, create, 1, changed)(session, before)
  }
  return [storyOf(ORDER.largeInteger + 0.1, [creation(create), other, again, step], [check])]
}

/** A change of a record to the values that identify itself conflicts with no other. */
function ownValuesProbe(
  create: ResourceBinding,
  change: ResourceBinding,
  texts: DocumentTexts,
): Probe[] {
  const names = identifiersOf(create, change, texts)
  if (names.length === 0) return []
  const name = 'accepts what identifies the record itself'
  const check = operationCheck(change.operation, 'conflict/own', name, ([created, changed]) =>
    created && changed && isSuccess(created) && !isInvalidInput(changed)
      ? passIf(changed.status !== 409, changed, 'no 409: the record has these values already')
      : NOT_REACHED,
  )
  const step: Step = async (session, before) => {
    const own = sentValues(before[0], create, names)
    if (!own) return undefined
    const changed = (request: ProbeRequest): ProbeRequest => ({
      ...withValues(request, change, own),
      isRepeated: true,
    })
    return await onCreated(change, create, 0, changed)(session, before)
  }
  return [storyOf(ORDER.largeInteger + 0.15, [creation(create), step], [check])]
}

/** The values of properties with which a record was created; `undefined` when it was not, or has none of them. */
export function sentValues(
  created: ProbeResponse | undefined,
  create: ResourceBinding,
  names: readonly string[],
): GivenValues | undefined {
  const record = created && isSuccess(created) ? sentRecord(created, create) : undefined
  const sent = Object.entries(isObject(record) ? record : {}).filter(([one]) => names.includes(one))
  return sent.length > 0 ? Object.fromEntries(sent) : undefined
}

/** A record with the id of one that exists, where clients may choose ids. */
function withId(sent: JsonObject, id: string, { resource, hints }: ResourceBinding): unknown {
  const name = hints.sentId ?? resource.id
  const place = parsePointer(hints.body ?? '')
  const record = valueAt(sent, hints.body ?? '')
  if (!resource.hasClientIds || !isObject(record) || Object.hasOwn(record, name)) return sent
  return withValueAt(sent, [...place, name], id)
}

function isAboutExisting(binding: ResourceBinding, texts: DocumentTexts): boolean {
  const { hasClientIds, unique } = binding.resource
  return hasClientIds === true || unique !== undefined || identifiersIn(binding, texts).length > 0
}

/** The properties that identify one record, both in a new one and in a change. */
function identifiersOf(
  create: ResourceBinding,
  change: ResourceBinding,
  texts: DocumentTexts,
): readonly string[] {
  const changed = identifiersIn(change, texts)
  return identifiersIn(create, texts).filter((name) => changed.includes(name))
}

/** The properties of a request that identify one record, by their names or descriptions. What may be null rather names another record. */
export function identifiersIn(binding: ResourceBinding, texts: DocumentTexts): readonly string[] {
  const { operation } = binding
  const sent = operation.body && schemaAt(operation.body.schema, sentPlace(binding))
  const isOwn = (name: string): boolean =>
    (IDENTIFIES.test(name) && !SHARED.test(name)) || UNIQUE.test(texts.property(operation.id, name))
  return [...propertiesOf(sent ?? {})].flatMap(([name, schema]) =>
    isOwn(name) && !surelyMatches(schema, null) ? name : [],
  )
}

/** What a description says of a value that one record has only. "Unique identifier of the brand" may be that of another record. */
const UNIQUE =
  /^(?!.*\b(?:not|need)\b).*(?:\bunique (?:among|in|within|per|across)\b|\bbe unique\b|^unique[.;]?$)/i
