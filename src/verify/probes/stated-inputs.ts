import type { Operation, Schema } from '../../contract/contract.ts'
import { parseJsonText } from '../../contract/json.ts'
import { itemsOf, parsePointer, propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { surelyMatches } from '../../generate/matches.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { referenceName } from '../../resources/reference-names.ts'
import { withValueAt } from '../../resources/views/record-body.ts'
import { isObject } from '../../validation/objects.ts'
import { operationCheck, passIf } from '../checks/check.ts'
import { isSuccess, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import { isOnItem, plainName, recordIn, sentPlace, valueAt, valuesIn } from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import type { Session } from '../session/session.ts'
import { hasWords, sentencesOf, spaced } from '../session/stated-rules.ts'
import { creationRequest } from '../session/valid-request.ts'
import { withValues } from '../test-data/full-body.ts'
import { BIRTH, takesJson } from '../test-data/sample-body.ts'
import { isDate, keyword } from '../test-data/values.ts'
import { isOnRecord, onAction } from './actions.ts'
import { ORDER, type Probe } from './probe.ts'
import {
  creation,
  NOT_REACHED,
  onCreated,
  type Step,
  storyOf,
  withOtherReferences,
} from './steps.ts'

/**
 * Values that the document forbids in words: references to no record, as in "must name a project of the account (422)", and times in the
 * future. A service must not accept them.
 */
export function statedInputProbes(group: BoundResource, texts: DocumentTexts): Probe[] {
  const { create } = group.bindings
  const actions = group.actions.filter(
    (one) => create?.operation.method === 'POST' && one.operation.body && isOnRecord(one, create),
  )
  return [
    ...sendersIn(group).flatMap(({ create, binding }) => [
      ...referenceProbes(create, binding, texts),
      ...futureProbes(create, binding, texts),
      ...ageProbes(create, binding, texts),
      ...(binding === create ? sameProbes(create, texts) : []),
    ]),
    ...actions.flatMap((one) => (create ? futureProbes(create, one, texts) : [])),
  ]
}

/** A creation, and an operation that takes the values of its records: itself, a change, or a replacement. */
export interface Sender {
  readonly create: ResourceBinding
  readonly binding: ResourceBinding
}

export function sendersIn({ bindings }: BoundResource): readonly Sender[] {
  const { create, update, replace } = bindings
  if (create?.operation.method !== 'POST') return []
  const changes = [...new Set([update, replace])].flatMap((one) =>
    one && one !== create && isOnItem(create, one) ? [one] : [],
  )
  return [create, ...changes].flatMap((binding) =>
    binding.operation.body && takesJson(binding.operation.body) ? [{ create, binding }] : [],
  )
}

/** A status with which the document promises to refuse something. */
const STATUS = /\b4\d\d\b/

/** The names of properties with ids. */
const ID = /(^|[^a-z])ids?$|I[dD]s?$/

/** What says that a reference must be one of a record that exists. */
const EXISTS =
  /\b(must|each|has to|have to|needs to|no such|unknown|names? (nothing|no)|(not|n't) exist|existing)\b/i

/** The same of the record that a reference names: "Student and course must exist". */
const MUST_EXIST = /\b(must|has to|have to|needs? to) exist\b/i

/** What an API says of the references in all bodies: "A body that refers to a record that does not exist is answered with 422." */
const ALL_EXIST =
  /\b(?:body|bodies)\b.*\brefer.*\b(?:not exist|no record|unknown|missing)\b.*\b4\d\d\b/i

/** The names of properties with keys, and what says that they must be those of a record. */
const KEY = /(^|[^a-z])(number|code|key)$|(Number|Code|Key)$/
/** A key of another record, such as `voucherCode`. A `code` is the record's own. */
const KEY_OF = /_(number|code|key)$|[a-z](Number|Code|Key)$/
const NAMES_ONE = /\bmust (name|be the [\w-]+ of|refer to)\b/i

export function propertiesIn({
  operation,
  ...binding
}: ResourceBinding): ReadonlyMap<string, Schema> {
  const place = sentPlace({ operation, ...binding })
  return propertiesOf((operation.body && schemaAt(operation.body.schema, place)) ?? {})
}

/** The sentences about a property: in its own description, and those of the operation that name it. */
export function sentencesAbout(
  name: string,
  { id }: Operation,
  texts: DocumentTexts,
): readonly string[] {
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
  const { operation, resource } = binding
  const isAllRuled = sentencesOf(texts.api).some((one) => ALL_EXIST.test(one))
  return [...propertiesIn(binding)].flatMap(([name, schema]) => {
    const { of, hasIdSuffix } = referenceName(name)
    const isReference =
      resource.references?.some((one) => one.name === name) === true ||
      resource.idReferences?.some(({ place }) => place.length === 1 && place[0] === name) === true
    const about = [
      ...sentencesAbout(name, operation, texts),
      ...(hasIdSuffix && isReference
        ? sentencesOf(texts.operation(operation.id)).filter(
            (one) => MUST_EXIST.test(one) && hasWords(one, spaced(of)),
          )
        : []),
    ]
    const says = ID.test(name) ? EXISTS : NAMES_ONE
    const isRuled =
      (isAllRuled && hasIdSuffix && isReference) ||
      about.some((one) => says.test(one) && STATUS.test(about.join(' ')))
    if (!(ID.test(name) || KEY.test(name)) || !isRuled || name === binding.resource.id) return []
    const step = change(create, binding, ({ gate }) => {
      const items = itemsOf(schema)
      const one = items ?? schema
      const id = gate.ids.newId(one, (value) => surelyMatches(one, value))
      return id === undefined ? undefined : { [name]: items ? [id] : id }
    })
    const steps = binding === create ? referred(create, step) : [creation(create), step]
    const text = `refuses a ${name} that names no record`
    return statedProbe({ id: `stated/${name}`, text }, operation, steps)
  })
}

const DAY = 24 * 3_600_000

/** What says that a time must not be in the future, or that it must be. */
const NOT_FUTURE = /^(?=.*\bin the future\b).*(\b4\d\d\b|\b(not|refused)\b)/i
const NOT_PAST =
  /\b(must not|may not|can ?not|can't|never) (be |lie )?(before|earlier than) (today|now|the (current |present )?(day|date|time) (of|on which|when)|the (current|present) (day|date|time))\b|\b(must|has to|have to|needs? to) (lie |be )in the future\b|\b(is|are|lies?) not in the future\b.*\b4\d\d\b|\b(must not|may not|can ?not|can't) (lie |be )in the past\b/i

/** A time in the future, or in the past, where the document refuses it. */
function futureProbes(
  create: ResourceBinding,
  binding: ResourceBinding,
  texts: DocumentTexts,
): Probe[] {
  const { operation } = binding
  return [...propertiesIn(binding)].flatMap(([name, schema]) => {
    const about = sentencesAbout(name, operation, texts)
    const isPast = about.some((one) => NOT_PAST.test(one))
    if (!(isPast || about.some((one) => NOT_FUTURE.test(one))) || !isDate(schema)) return []
    const valuesAt = ({ gate }: Session): JsonObject => ({
      [name]: dateOf(gate.time + (isPast ? -400 : 400) * DAY, schema),
    })
    const acted: Step = async (session, before) => {
      const request = await onAction(binding, create)(session, before)
      return request && { ...withValues(request, binding, valuesAt(session)), isRepeated: true }
    }
    const step = binding.action === 'act' ? acted : change(create, binding, valuesAt)
    const steps = binding === create ? referred(create, step) : [creation(create), step]
    const text = `refuses a ${name} in the ${isPast ? 'past' : 'future'}`
    return statedProbe({ id: `stated/${name}`, text }, operation, steps)
  })
}

/** What says how old people must be at least. "Children under 12 travel free" is no such rule. */
const LEAST_AGE = /\b(?:at least|minimum age(?: is| of)?|not younger than) (\d{1,2})\b/i
const AGE = /\b(age|aged|years? old|younger)\b/i
const RULED = /\b4\d\d\b|\bmust\b/i

/** A person who is a year too young. */
function ageProbes(
  create: ResourceBinding,
  binding: ResourceBinding,
  texts: DocumentTexts,
): Probe[] {
  const { operation } = binding
  return [...propertiesIn(binding)].flatMap(([name, schema]) => {
    if (!BIRTH.test(plainName(name)) || !isDate(schema)) return []
    const said = [...sentencesOf(texts.operation(operation.id)), texts.property(operation.id, name)]
    const ruled = said.filter((one) => AGE.test(one) && RULED.test(one))
    const [least] = ruled.flatMap((one) => LEAST_AGE.exec(one)?.[1] ?? [])
    if (least === undefined) return []
    const step = change(create, binding, ({ gate }) => {
      const born = new Date(gate.time)
      born.setUTCFullYear(born.getUTCFullYear() - Number(least) + 1)
      return { [name]: dateOf(born.getTime(), schema) }
    })
    const steps = binding === create ? referred(create, step) : [creation(create), step]
    const text = `refuses a ${name} of somebody who is ${Number(least) - 1} years old`
    return statedProbe({ id: `stated/${name}/age`, text }, operation, steps)
  })
}

function dateOf(time: number, schema: Schema): string {
  const text = new Date(time).toISOString()
  return keyword(schema, 'format') === 'date' ? text.slice(0, 10) : text
}

/** The two ends of something that moves. */
const PAIRS = [
  [/^from(?=[A-Z_])/, 'to'],
  [/^source(?=[A-Z_])/, 'target'],
  [/^source(?=[A-Z_])/, 'destination'],
  [/^origin(?=[A-Z_])/, 'destination'],
] as const

/** Two references to one record, where the document says that they must differ, or that a list has each only once. */
function sameProbes(create: ResourceBinding, texts: DocumentTexts): Probe[] {
  const { operation } = create
  const properties = propertiesIn(create)
  const said = sentencesOf(texts.operation(operation.id))
  const says = (words: RegExp, name: string): boolean =>
    [...said, ...sentencesOf(texts.property(operation.id, name))].some((one) => words.test(one)) &&
    STATUS.test([...said, texts.property(operation.id, name)].join(' '))
  const pairs = [...properties.keys()].flatMap((from) => {
    const to = PAIRS.map(([start, end]) => from.replace(start, end)).find(
      (one) => one !== from && properties.has(one) && ID.test(one),
    )
    return to !== undefined && says(DIFFERENT, from) ? [{ from, to }] : []
  })
  const different = pairs.flatMap(({ from, to }) => {
    const step = change(create, create, (_session, sent) =>
      isObject(sent) && sent[from] !== undefined ? { [to]: sent[from] } : undefined,
    )
    const text = `refuses the same record for ${from} and ${to}`
    return statedProbe({ id: `stated/${to}=${from}`, text }, operation, referred(create, step))
  })
  const lists = [...properties].flatMap(([name, schema]) => {
    const items = itemsOf(schema)
    const hasId = items !== undefined && [...propertiesOf(items).keys()].some((one) => ID.test(one))
    if (!hasId || !says(ONCE, name)) return []
    const step = change(create, create, (_session, sent) => {
      const list = isObject(sent) ? sent[name] : undefined
      return Array.isArray(list) && list.length > 0 ? { [name]: [list[0], list[0]] } : undefined
    })
    const text = `refuses ${name} with the same record twice`
    return statedProbe({ id: `stated/${name}/twice`, text }, operation, referred(create, step))
  })
  return [...different, ...lists]
}

const DIFFERENT = /\b(must|has to|have to|should) (be different|differ)\b|\bmust not be the same\b/i
const ONCE =
  /\b(at most once|only once|once only|in one \w+ only|(repeat|list)s? (one|\w+) twice)\b/i

/**
 * A creation that the service accepts, and one that refers to the same records and has other values: a service that refuses every creation
 * does not show that it refuses these values.
 */
export function referred(create: ResourceBinding, step: Step): readonly Step[] {
  return [
    creation(create),
    async (session, before) => (before.every(isSuccess) ? await step(session, before) : undefined),
  ]
}

export function statedProbe(
  { id, text }: { readonly id: string; readonly text: string },
  operation: Operation,
  steps: readonly Step[],
): Probe[] {
  const check = operationCheck(operation, id, text, (responses) => {
    const tried = responses.at(-1)
    if (!tried || responses.length < steps.length) return NOT_REACHED
    return passIf(!isSuccess(tried), tried, '4xx, as the description says')
  })
  const story = storyOf(ORDER.refusal + 0.5, steps, [check])
  // A record may exist only once for what it refers to: then the first record is the reason for the refusal.
  const withOwnReferences = async (
    session: Session,
    responses: readonly ProbeResponse[],
  ): Promise<readonly ProbeResponse[]> => {
    const [first] = responses
    const { operation: creating } = first?.request ?? {}
    if (!first || !creating || creating !== operation || !isSuccess(first)) return responses
    const plain = await creationRequest(operation, session)
    const other =
      (await withOtherReferences(session, plain, first.request)) ??
      (await session.references.inRequest(plain))
    // As if the first record referred to the others.
    const apart = { ...first, request: { ...first.request, ...other } }
    const request = await steps.at(-1)?.(session, [apart])
    return request ? [...responses, await session.send(request)] : responses
  }
  return [
    {
      ...story,
      maxRequests: 2 * story.maxRequests + 1,
      creations: 2 * (story.creations ?? 1) + 1,
      send: async (session) => {
        const responses = await story.send(session)
        const tried = responses.at(-1)
        // What a record refers to may be used up, such as a voucher.
        if (tried?.status !== 409) return responses
        const again = session.renewReferences(tried.request) ? await story.send(session) : responses
        return again.at(-1)?.status === 409 ? await withOwnReferences(session, again) : again
      },
    },
  ]
}

/** What refers to records: ids, keys, and lists of them or of objects with them. Other values may have to be new in each record. */
export function referencesIn(sent: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(sent).filter(
      ([name, value]) => ID.test(name) || KEY_OF.test(name) || Array.isArray(value),
    ),
  )
}

/** A creation, or a change of the record that was created first, with other values. A change has no others. */
export function change(
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
    earlier: JsonObject = {},
  ): ProbeRequest | undefined => {
    const { body: schema } = binding.operation
    const place = parsePointer(sentPlace(binding))
    const body = parseJsonText(request.body ?? '')
    const own = valueAt(body, sentPlace(binding))
    const sent = isObject(own) ? { ...own, ...referencesIn(earlier) } : own
    const values = valuesFor(session, sent, record)
    if (!values || !schema) return undefined
    const isWhole = binding === create || binding.action === 'replace'
    const kept = isWhole && isObject(sent) ? sent : {}
    const next = withValueAt(body, place, { ...kept, ...values })
    const flags = { isRepeated: true, keepsReferences: true } as const
    return schema.validate(next) ? { ...request, body: JSON.stringify(next), ...flags } : undefined
  }
  // A new record, and a replacement, refer to the same records as the first one.
  const earlierIn = (first: ProbeResponse | undefined): JsonObject => {
    const earlier = first && valueAt(parseJsonText(first.request.body ?? ''), sentPlace(create))
    return isObject(earlier) ? earlier : {}
  }
  if (binding === create)
    return creation(create, (request, [first], session) =>
      changed(request, session, undefined, earlierIn(first)),
    )
  return async (session, before) => {
    const [first] = before
    const record = first && isSuccess(first) ? valuesIn(recordIn(first, create)) : undefined
    const plain = await onCreated(binding, create, 0)(session, before)
    return plain ? changed(plain, session, record, earlierIn(first)) : undefined
  }
}
