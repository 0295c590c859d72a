import { propertiesOf } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import {
  type CheckDefinition,
  type Evaluate,
  type Evaluation,
  failure,
  hasSuccessStatus,
  type LeftOut,
  NO_RESPONSE,
  operationCheck,
} from '../checks/check.ts'
import { comparable, sentRecord, shows, type Values } from '../checks/shown-values.ts'
import { isSuccess, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import { isOnCollection, isOnItem, recordIn, valuesIn } from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import type { Session } from '../session/session.ts'
import { sentencesOf } from '../session/stated-rules.ts'
import { digitValues, formattedValues } from '../test-data/formatted-values.ts'
import {
  blankValues,
  emptyTexts,
  emptyValues,
  exactValues,
  fullValues,
  type GivenValues,
  isTextOfForm,
  largestValues,
  markupValues,
  recordSchema,
  smallestValues,
  unusualValues,
  withValues,
} from '../test-data/full-body.ts'
import { takesJson } from '../test-data/sample-body.ts'
import { keyword } from '../test-data/values.ts'
import { ORDER, type Probe } from './probe.ts'
import { creation, listBeside, NOT_REACHED, onCreated, type Step, storyOf } from './steps.ts'

/** Bodies that the document allows, by what is special about them. */
interface ValidBody {
  readonly id: string
  readonly what: string
  readonly valuesFor: (binding: ResourceBinding) => GivenValues
  /** Whether a service may have its reasons to refuse them, so that only what it accepts has to be kept. */
  readonly mayBeRefused?: true
  /** Whether numbers and the order of lists have to be as sent, too. */
  readonly isExact?: true
  /** Whether they are compared without the rest of the record, and a service that alters them in several operations has one mistake. */
  readonly isOneCause?: true
}

const FULL: ValidBody = { id: 'full', what: 'every property', valuesFor: fullValues }
const UNUSUAL: ValidBody = {
  id: 'unusual',
  what: 'letters of several scripts, false and zero',
  valuesFor: unusualValues,
}
const LARGEST: ValidBody = { id: 'largest', what: 'the largest values', valuesFor: largestValues }
const SMALLEST: ValidBody = {
  id: 'smallest',
  what: 'the smallest values',
  valuesFor: smallestValues,
}

const DIGITS: ValidBody = {
  id: 'digits',
  what: 'texts of digits with a zero at the start',
  valuesFor: digitValues,
}

const MARKUP: ValidBody = {
  id: 'markup',
  what: 'texts with characters of HTML',
  valuesFor: markupValues,
  mayBeRefused: true,
}

const FORMS: ValidBody = {
  id: 'forms',
  what: 'days, addresses and texts of a form',
  valuesFor: formattedValues,
  mayBeRefused: true,
}

const EMPTY: ValidBody = { id: 'empty', what: 'empty lists and null', valuesFor: emptyValues }

const BLANKS: ValidBody = {
  id: 'blanks',
  what: 'texts with blanks at their ends and inside',
  valuesFor: blankValues,
  mayBeRefused: true,
  isOneCause: true,
}

const EMPTY_TEXTS: ValidBody = {
  id: 'empty-texts',
  what: 'empty texts',
  valuesFor: emptyTexts,
  mayBeRefused: true,
  isOneCause: true,
}

/** What says that values are kept as they are: "Values are stored and returned as sent, without trimming or rounding". */
const AS_SENT =
  /\b(stored|kept|keeps?|saved|returned|answered|preserved)\b.*\b(as (they (were|are) |it (was|is) )?(sent|given)|unchanged)\b|\bnothing is (trimmed|altered|rewritten|changed|rounded)\b/i
const UNROUNDED =
  /\b(without|no|not|never|nothing)\b[\w ,]*\b(rounding|rounded)\b|\bwith (all )?(its|their) decimals\b/i
/** What says that an empty text is not taken for no value. */
const EMPTY_KEPT =
  /\bempty (text|string|value)s?\b[^.]*\b(is|are|stays?|remains?)\b[^.]*\b(kept|not null|texts?|strings?|values?|empty|stored)\b/i
/** What numbers are called where all of them are kept. */
const NUMBERS = /\b(numbers|values|what|everything)\b/i
const IN_ORDER =
  /\border\b.*\b(kept|preserved|retained|stays|matters|significant)\b|\b(keeps?|kept|preserv\w+|retain\w*)\b.*\border\b|\bin the order (given|sent|in which)\b/i
/** What else may be said of an order: that of the records of a list. */
const OTHER_ORDER = /\b(sort\w*|records|pages?|alphabetical\w*)\b/i

/** Numbers and lists that the document says are kept as they are sent: in the description of the API, or of the property. */
export function statedExactValues(binding: ResourceBinding, texts: DocumentTexts): GivenValues {
  const { operation } = binding
  const ofAll = sentencesOf(texts.api)
  const isSaid = (words: RegExp): boolean => ofAll.some((one) => words.test(one))
  const ofProperty = (name: string, words: RegExp): boolean =>
    sentencesOf(texts.property(operation.id, name)).some((one) => words.test(one))
  const areKept = isSaid(AS_SENT)
  const isOfNumbers = (one: string): boolean => AS_SENT.test(one) && NUMBERS.test(one)
  const areUnrounded = isSaid(UNROUNDED) || ofAll.some(isOfNumbers)
  const areOrdered = ofAll.some((one) => IN_ORDER.test(one) && !OTHER_ORDER.test(one))
  const isOrdered = (name: string): boolean => areOrdered || ofProperty(name, IN_ORDER)
  const areEmptyKept = isSaid(EMPTY_KEPT)
  const empty = Object.entries(emptyTexts(binding)).filter(
    ([name]) => areEmptyKept || ofProperty(name, EMPTY_KEPT),
  )
  const exact = exactValues(binding, {
    isUnrounded: (name) => areUnrounded || ofProperty(name, UNROUNDED),
    isOrdered,
    isKept: (name) => areKept || ofProperty(name, AS_SENT),
  })
  return { ...exact, ...Object.fromEntries(empty) }
}

function exactBody(texts: DocumentTexts): ValidBody {
  return {
    id: 'exact',
    what: 'numbers with many digits, lists in their order, capitals, blanks and hyphens',
    valuesFor: (binding) => statedExactValues(binding, texts),
    mayBeRefused: true,
    isOneCause: true,
    isExact: true,
  }
}

/** The number of properties that are sent one by one after a refusal, to name the one that is refused. */
const MAX_SINGLE = 6

/** Creations with bodies that the document allows: they are accepted, and the values are kept. */
export function validBodyProbes(
  { bindings }: BoundResource,
  hasOwnLimits: boolean,
  texts: DocumentTexts,
): Probe[] {
  const { create, list, read } = bindings
  if (!create?.operation.body || !takesJson(create.operation.body)) return []
  const reads = read && isOnItem(create, read) ? read : undefined
  const exact = exactBody(texts)
  const hasForms = [...propertiesOf(recordSchema(create))].some((one) => isTextOfForm(...one))
  const digits = hasForms ? [DIGITS] : []
  const kinds = hasOwnLimits
    ? [FULL, UNUSUAL, EMPTY, ...digits, MARKUP, BLANKS, EMPTY_TEXTS, FORMS, exact]
    : [FULL, UNUSUAL, LARGEST, SMALLEST, EMPTY, DIGITS, MARKUP, BLANKS, EMPTY_TEXTS, FORMS, exact]

  const bodies = kinds.flatMap((kind, at) => {
    const values = Object.values(kind.valuesFor(create))
    // The creations of a simple resource have plain texts.
    const isSent = hasOwnLimits && kind === FULL && values.every((one) => typeof one === 'string')
    return values.length === 0 || isSent ? [] : validBodyProbe(create, reads, kind, at)
  })
  return [...bodies, ...memberProbes(create, reads, list, hasOwnLimits)]
}

/** The most members of an enum that get a record each. */
const MAX_MEMBERS = 8

/** A record with each member of an enum, in one collection: it is read and listed. */
function memberProbes(
  create: ResourceBinding,
  read: ResourceBinding | undefined,
  list: ResourceBinding | undefined,
  hasOwnLimits: boolean,
): Probe[] {
  const { operation } = create
  if (operation.method !== 'POST') return []
  // The limits of a simple resource have the first and the last one.
  const fewest = hasOwnLimits ? 4 : 3
  const beside = list && isOnCollection(list.operation, operation) ? [listBeside(list, 0)] : []
  return [...propertiesOf(recordSchema(create))].flatMap(([name, property]) => {
    const members = (keyword(property, 'enum') ?? []).filter((one) => one !== null)
    if (members.length < fewest || members.length > MAX_MEMBERS || property.readOnly) return []
    const isOf = (one: ProbeResponse, member: unknown): boolean => {
      const sent = one.request.operation === operation ? sentRecord(one, create) : undefined
      return isSuccess(one) && isObject(sent) && sent[name] === member
    }
    const text = `keeps each ${name} that the document allows`
    const check = operationCheck(operation, `each/${name}`, text, (responses) => {
      const shown = members.flatMap((member) => {
        const created = responses.find((one) => isOf(one, member))
        return created ? [shows(created, create, [[name, member]], 'as it was sent')] : []
      })
      return shown.find((one) => one !== 'passed') ?? shown[0] ?? NOT_REACHED
    })
    const steps = members.flatMap((member, at): Step[] => {
      const values = { [name]: member }
      const change = (request: ProbeRequest): ProbeRequest => withValues(request, create, values)
      const reading: Step = async (session, before) => {
        const place = before.findIndex((one) => isOf(one, member))
        return read && place >= 0 ? await onCreated(read, create, place)(session, before) : null
      }
      return [creation(create, change, at > 0 ? 0 : undefined), reading]
    })
    return [storyOf(ORDER.boundaryValue + 1.5, [...steps, ...beside], [check])]
  })
}

function validBodyProbe(
  create: ResourceBinding,
  read: ResourceBinding | undefined,
  body: ValidBody,
  at: number,
): Probe {
  const { valuesFor, mayBeRefused, isOneCause } = body
  const places = mayBeRefused ? [] : Object.keys(valuesFor(create)).slice(0, MAX_SINGLE)
  // What the service accepts only with other values than plain ones may have rules that the document does not state.
  const valuesIn = ({ bodies }: Session): GivenValues =>
    Object.fromEntries(
      Object.entries(valuesFor(create)).filter(
        ([name]) => !bodies.isRestricted(create.operation, name),
      ),
    )
  const singles = places.map(
    (_name, place): Step =>
      creation(create, (request, before, session) => {
        const [first] = before
        if (!first || !isRefused(first)) return undefined
        const single = Object.entries(valuesIn(session))[place]
        return single && withValues(request, create, Object.fromEntries([single]))
      }),
  )
  const all = creation(create, (request, _before, session) =>
    withValues(request, create, valuesIn(session)),
  )
  const found: Step = async (session, before) =>
    read && before[0] && isSuccess(before[0])
      ? await onCreated(read, create, 0)(session, before)
      : undefined
  const names = isOneCause ? new Set(Object.keys(valuesFor(create))) : undefined
  const [isAccepted, ...areKept] = validBodyChecks(create, read, body, names)
  const checks = isAccepted && !mayBeRefused ? [isAccepted, ...areKept] : areKept
  const story = storyOf(ORDER.boundaryValue + at / 10, [all, ...singles], checks)

  return {
    ...story,
    maxRequests: 2,
    send: async (session) => {
      const responses = await story.send(session)
      const request = await found(session, responses)
      return request ? [...responses, await session.send(request)] : responses
    },
  }
}

function validBodyChecks(
  create: ResourceBinding,
  read: ResourceBinding | undefined,
  { id, what, isExact }: Pick<ValidBody, 'id' | 'what' | 'isExact'>,
  names: ReadonlySet<string> | undefined,
): CheckDefinition[] {
  const more = names ? { cause: `values/${id}` } : {}
  return [
    operationCheck(create.operation, `values/${id}`, `accepts ${what}`, accepted(create)),
    operationCheck(
      create.operation,
      `values/${id}/shown`,
      `returns ${what} as sent`,
      ([first]) =>
        first && isSuccess(first)
          ? showsSent({ sent: first, found: first, create, binding: create, names, isExact })
          : NOT_REACHED,
      more,
    ),
    ...(read
      ? [
          operationCheck(
            read.operation,
            `values/${id}`,
            `returns ${what} as they were sent`,
            (all) => {
              const [first] = all
              const last = all.find(({ request }) => request.operation === read.operation)
              return first && last && isSuccess(last)
                ? showsSent({ sent: first, found: last, create, binding: read, names, isExact })
                : NOT_REACHED
            },
            more,
          ),
        ]
      : []),
  ]
}

function isRefused({ status }: ProbeResponse): boolean {
  return status === 400 || status === 422 || status >= 500
}

const TOGETHER: LeftOut = { leftOut: 'the values are refused together, but not one by one' }

/** The body is accepted or, when it was refused, each of its values alone. A refusal for another reason says nothing about it. */
function accepted({ operation }: ResourceBinding): Evaluate {
  return ([first, ...others]) => {
    if (!first) return NO_RESPONSE
    if (isSuccess(first)) return hasSuccessStatus(operation, first)
    if (!isRefused(first)) return { leftOut: 'the request was refused for another reason' }
    const single = others.find((one) => one.request.operation === operation && isRefused(one))
    if (single) return failure(single, '2xx, because the document allows the body')
    return others.some(isSuccess)
      ? TOGETHER
      : failure(first, '2xx, because the document allows the body')
  }
}

/** A creation, and a response that shows what it created. */
interface Shown {
  readonly sent: ProbeResponse
  readonly found: ProbeResponse
  readonly create: ResourceBinding
  readonly binding: ResourceBinding
  readonly names: ReadonlySet<string> | undefined
  readonly isExact: true | undefined
}

/** Whether a response shows the values of a creation, or those with some names. */
function showsSent({ sent, found, create, binding, names, isExact }: Shown): Evaluation {
  const record = sentRecord(sent, create)
  if (!isObject(record)) return NOT_REACHED
  const wanted = isExact ? Object.entries(record) : comparable(record, found, binding)
  const values = wanted.filter(([name]) => names?.has(name) !== false)
  if (values.length === 0) return { leftOut: 'the response shows none of the values' }
  return isExact
    ? showsExactly(found, binding, values)
    : shows(found, binding, values, 'as it was sent')
}

/** Whether a response shows numbers and lists as they are, and not in another order. */
export function showsExactly(
  found: ProbeResponse,
  binding: ResourceBinding,
  values: Values,
): Evaluation {
  const record = valuesIn(recordIn(found, binding))
  if (!isObject(record)) return NOT_REACHED
  const other = values.find(
    ([name, value]) => name in record && JSON.stringify(record[name]) !== JSON.stringify(value),
  )
  if (!other) return 'passed'
  const [name, value] = other
  const [wanted, shown] = [value, record[name]].map((one) => `"${name}": ${JSON.stringify(one)}`)
  return { ...failure(found, `${wanted}, as it was sent`, shown ?? ''), about: name }
}
