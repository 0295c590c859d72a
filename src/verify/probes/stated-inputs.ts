import type { Operation, Schema } from '../../contract/contract.ts'
import { parseJsonText } from '../../contract/json.ts'
import { itemsOf, parsePointer, propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import { surelyMatches } from '../../generate/matches.ts'
import { ENDS, STARTS } from '../../requests/operation-input.ts'
import { withValueAt } from '../../resources/behaviour/record-body.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import { operationCheck, passIf } from '../checks/check.ts'
import type { BoundResource } from '../resource-operations.ts'
import { isSuccess, type ProbeRequest } from '../session/messages.ts'
import { isOnItem, recordIn, sentPlace, valueAt, valuesIn } from '../session/record-address.ts'
import type { Session } from '../session/session.ts'
import { hasWords, sentencesOf } from '../session/stated-rules.ts'
import { takesJson } from '../test-data/sample-body.ts'
import { isDate, keyword } from '../test-data/values.ts'
import { ORDER, type Probe } from './probe.ts'
import { creation, NOT_REACHED, onCreated, type Step, storyOf } from './steps.ts'

/**
 * Values that the document forbids in words: references to no record, as in "must name a project of the account (422)", and an end
 * before its start. A service must not accept them.
 */
export function statedInputProbes({ bindings }: BoundResource, texts: DocumentTexts): Probe[] {
  const { create, update } = bindings
  if (create?.operation.method !== 'POST') return []
  const changes = update && update !== create && isOnItem(create, update) ? [update] : []
  return [create, ...changes].flatMap((one) =>
    one.operation.body && takesJson(one.operation.body)
      ? [...referenceProbes(create, one, texts), ...orderProbes(create, one, texts)]
      : [],
  )
}

/** A status with which the document promises to refuse something. */
const STATUS = /\b4\d\d\b/

/** The names of properties with ids. */
const ID = /(^|[^a-z])ids?$|I[dD]s?$/

/** What says that a reference must be one of a record that exists. */
const EXISTS = /\b(must|each|has to|have to|needs to|no such|unknown|(not|n't) exist|existing)\b/i

function propertiesIn({ operation, ...binding }: ResourceBinding): ReadonlyMap<string, Schema> {
  const place = sentPlace({ operation, ...binding })
  return propertiesOf((operation.body && schemaAt(operation.body.schema, place)) ?? {})
}

/** The sentences about a property: in its own description, and those of the operation that name it. */
function sentencesAbout(name: string, { id }: Operation, texts: DocumentTexts): readonly string[] {
  const isNamed = (sentence: string): boolean => hasWords(sentence, name)
  return [
    ...sentencesOf(texts.property(id, name)),
    ...sentencesOf(texts.operation(id)).filter(isNamed),
  ]
}

function referenceProbes(
  create: ResourceBinding,
  binding: ResourceBinding,
  texts: DocumentTexts,
): Probe[] {
  const { operation } = binding
  return [...propertiesIn(binding)].flatMap(([name, schema]) => {
    const about = sentencesAbout(name, operation, texts)
    const isRuled = about.some((one) => EXISTS.test(one) && STATUS.test(about.join(' ')))
    if (!ID.test(name) || !isRuled || name === binding.resource.id) return []
    const step = change(create, binding, ({ gate }) => {
      const items = itemsOf(schema)
      const one = items ?? schema
      const id = gate.ids.newId(one, (value) => surelyMatches(one, value))
      return id === undefined ? undefined : { [name]: items ? [id] : id }
    })
    const steps = binding === create ? [step] : [creation(create), step]
    const text = `refuses a ${name} that names no record`
    return probe({ id: `stated/${name}`, text }, operation, steps)
  })
}

const DAY = 24 * 3_600_000

/** An end before its start: both in a new record, and each of them alone in a change. */
function orderProbes(
  create: ResourceBinding,
  binding: ResourceBinding,
  texts: DocumentTexts,
): Probe[] {
  const { operation } = binding
  const properties = propertiesIn(binding)
  const named = (names: RegExp): string | undefined =>
    [...properties.keys()].find(
      (name) =>
        names.test(name.replace(/([a-z])([A-Z])/g, '$1_$2')) && isDate(properties.get(name) ?? {}),
    )
  const [start, end] = [named(STARTS), named(ENDS)]
  if (start === undefined || end === undefined) return []
  const about = [start, end].flatMap((one) => sentencesAbout(one, operation, texts))
  const isRuled = about.some((one) => /\b(before|after|later|earlier)\b/i.test(one))
  if (!isRuled) return []
  const moved = (value: unknown, by: number, name: string): string | undefined => {
    const time = Date.parse(String(value))
    if (Number.isNaN(time)) return undefined
    const text = new Date(time + by).toISOString()
    return keyword(properties.get(name) ?? {}, 'format') === 'date' ? text.slice(0, 10) : text
  }
  const text = `refuses a ${end} before the ${start}`
  const before = (record: unknown): Readonly<Record<string, unknown>> | undefined => {
    const value = isObject(record) ? moved(record[start], -2 * DAY, end) : undefined
    return value === undefined ? undefined : { [end]: value }
  }
  if (binding === create) {
    const step = change(create, create, (_session, record) => before(record))
    return probe({ id: `stated/${end}`, text }, operation, [step])
  }
  const step = change(create, binding, (_session, _sent, record) => before(record))
  return probe({ id: `stated/${end}`, text }, operation, [creation(create), step])
}

function probe(
  { id, text }: { readonly id: string; readonly text: string },
  operation: Operation,
  steps: readonly Step[],
): Probe[] {
  const check = operationCheck(operation, id, text, (responses) => {
    const tried = responses.at(-1)
    if (!tried || responses.length < steps.length) return NOT_REACHED
    return passIf(!isSuccess(tried), tried, '4xx, as the description says')
  })
  return [storyOf(ORDER.refusal + 0.5, steps, [check])]
}

/** A creation, or a change of the record that was created first, with other values. A change has no others. */
function change(
  create: ResourceBinding,
  binding: ResourceBinding,
  valuesFor: (
    session: Session,
    sent: unknown,
    record: unknown,
  ) => Readonly<Record<string, unknown>> | undefined,
): Step {
  const changed = (
    request: ProbeRequest,
    session: Session,
    record: unknown,
  ): ProbeRequest | undefined => {
    const { body: schema } = binding.operation
    const place = parsePointer(sentPlace(binding))
    const body = parseJsonText(request.body ?? '')
    const sent = valueAt(body, sentPlace(binding))
    const values = valuesFor(session, sent, record)
    if (!values || !schema) return undefined
    const kept = binding === create && isObject(sent) ? sent : {}
    const next = withValueAt(body, place, { ...kept, ...values })
    const flags = { isRepeated: true, keepsReferences: true } as const
    return schema.validate(next) ? { ...request, body: JSON.stringify(next), ...flags } : undefined
  }
  if (binding === create)
    return creation(create, (request, _before, session) => changed(request, session, undefined))
  return async (session, before) => {
    const [first] = before
    const record = first && isSuccess(first) ? valuesIn(recordIn(first, create)) : undefined
    const plain = await onCreated(binding, create, 0)(session, before)
    return plain ? changed(plain, session, record) : undefined
  }
}
