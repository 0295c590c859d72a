import type { Contract, Schema } from '../../contract/contract.ts'
import { encodeLiteral } from '../../contract/path-pattern.ts'
import { propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import { withQuery } from '../../requests/outgoing-request.ts'
import { type ResourceBinding, resourcesIn } from '../../resources/bind.ts'
import { linksOf } from '../../resources/record-links.ts'
import { referenceName, singular } from '../../resources/reference-names.ts'
import { isObject } from '../../validation/objects.ts'
import { type CheckDefinition, operationCheck, passIf } from '../checks/check.ts'
import { sentRecord, shownSchema } from '../checks/shown-values.ts'
import { isWhole } from '../checks/whole-list.ts'
import { isGone, isSuccess, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import {
  isOnItem,
  isSameTemplate,
  itemTarget,
  plainName,
  recordIn,
  recordsAt,
  recordTemplate,
  segmentsOf,
  sentPlace,
  valuesIn,
  withPath,
} from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { linksByLastWords, type RecordLink } from '../session/property-links.ts'
import { creationRequest, validRequest } from '../session/valid-request.ts'
import { fullValues, requiredOnly, withValues } from '../test-data/full-body.ts'
import { isDate, isNumber, keyword, numberNames, typeOf, withoutNull } from '../test-data/values.ts'
import { isOnRecord, onAction } from './actions.ts'
import { ORDER, type Probe } from './probe.ts'
import {
  creation,
  idOfCreated,
  inLongestPage,
  NOT_REACHED,
  onCreated,
  type Step,
  storyOf,
} from './steps.ts'

/** What a description says that a number of a record is: how many others there are, or the sum of a property of theirs. */
export interface StatedNumber {
  readonly name: string
  /** The properties whose products are added; without any, records are counted. */
  readonly summed?: readonly string[]
  /** The property of the record from which the sum or the count is subtracted. */
  readonly base?: string
  /** The values of a property that only those records have which count. */
  readonly only?: { readonly property: string; readonly values: readonly unknown[] }
}

/** Records, and those that are counted: below them, or with a property that refers to them. */
export interface Counted {
  readonly create: ResourceBinding
  readonly read: ResourceBinding
  readonly children: BoundResource
  readonly creates: ResourceBinding
  readonly list: ResourceBinding
  /** The property of the others that refers to a record; without one, they are below it. */
  readonly link?: string
}

/** The most actions after which numbers are read again. */
const MAX_ACTIONS = 2

/**
 * Numbers that descriptions derive from other records, as in "The number of orders that are draft or submitted" and "The sum of the
 * amounts of its lines". They are as these records say, after some are created, and after actions and a removal: as each of them is read,
 * or else as their list says.
 */
export function statedNumberProbes(
  groups: readonly BoundResource[],
  contract: Contract,
  texts: DocumentTexts,
): Probe[] {
  return groups.flatMap((owner) => {
    const { create, read } = owner.bindings
    if (create?.operation.method !== 'POST' || !read || !isOnItem(create, read)) return []
    const numbers = numberNames(shownSchema(read) ?? {})
    return groups.flatMap((children) => {
      const counted = children === owner ? undefined : countedBy(owner, children, contract)
      const found = numbers.flatMap((name) => {
        const text = texts.property(read.operation.id, name)
        return (counted && statedNumber(name, text, counted)) ?? []
      })
      const extremes = counted ? statedExtremes(counted, texts) : []
      return [
        ...(counted && found.length > 0 ? [numberProbe(counted, found)] : []),
        ...(counted ? extremes.map((one) => extremeProbe(counted, one)) : []),
      ]
    })
  })
}

/** What a description says that a value of a record is: the greatest or the least of those of others. */
interface StatedExtreme {
  readonly name: string
  readonly property: string
  readonly isGreatest: boolean
  /** Two values, the greater one first. */
  readonly values: readonly [greater: unknown, less: unknown]
}

/** "The latest `held_on` of the visits of the room". */
const EXTREME =
  /^(?:the )?(?:(latest|newest|last|highest|greatest|largest)|earliest|oldest|first|lowest|least|smallest) (.+?) of (.+)$/i

function statedExtremes(counted: Counted, texts: DocumentTexts): readonly StatedExtreme[] {
  const { read, list, creates } = counted
  const noun = nounOf(list.resource.path)
  const sent = schemaAt(creates.operation.body?.schema ?? {}, sentPlace(creates)) ?? {}
  return [...propertiesOf(shownSchema(read) ?? {}).keys()].flatMap((name) => {
    const [said = ''] = texts.property(read.operation.id, name).replaceAll('`', '').split(/[,.;]/)
    const [, greatest, what = '', whose = ''] = EXTREME.exec(said) ?? []
    const isTheirs = noun.length > 0 && noun.every((word) => termsOf(whose).includes(word))
    const called = termsOf(what).join(' ')
    const [property, schema] =
      [...propertiesOf(sent)].find(([one]) => termsOf(one).join(' ') === called) ?? []
    const values = schema && twoValues(schema)
    if (!isTheirs || property === undefined || !values) return []
    return [{ name, property, isGreatest: greatest !== undefined, values }]
  })
}

/** Two values of a property of which one is greater than the other. */
function twoValues(schema: Schema): StatedExtreme['values'] | undefined {
  const { minimum = 0, maximum = minimum + 1 } = withoutNull(schema)
  if (isDate(schema)) {
    const isDay = keyword(schema, 'format') === 'date'
    const times = ['2025-03-04T05:06:07Z', '2025-02-03T04:05:06Z'] as const
    const [greater, less] = times.map((one) => (isDay ? one.slice(0, 10) : one))
    return [greater, less]
  }
  return isNumber(schema) && maximum >= minimum + 1 ? [minimum + 1, minimum] : undefined
}

/** Two records below a new one: the one with the value that counts is created first. */
function extremeProbe(
  counted: Counted,
  { name, property, isGreatest, values }: StatedExtreme,
): Probe {
  const { create, creates, read, list } = counted
  const [greater, less] = values
  const inOrder = isGreatest ? [greater, less] : [less, greater]
  const children = inOrder.map((value) =>
    childOf(counted, (request) => withValues(request, creates, { [property]: value })),
  )
  const text = `returns ${name} as the ${isGreatest ? 'greatest' : 'least'} ${property}, whatever was created last`
  const id = `${name}/${list.operation.id}/extreme`
  const check = operationCheck(read.operation, id, text, ([, first, second, found]) => {
    if (!first || !second || !found || ![first, second, found].every(isSuccess)) return NOT_REACHED
    const sent = [first, second].map((one) => {
      const record = sentRecord(one, creates)
      return isObject(record) ? record[property] : undefined
    })
    const record = valuesIn(recordIn(found, read))
    const shown = isObject(record) ? record[name] : undefined
    if (String(sent) !== String(inOrder) || shown === undefined) return NOT_REACHED
    return passIf(isSameValue(shown, inOrder[0]), found, `"${name}": ${JSON.stringify(inOrder[0])}`)
  })
  const steps = [creation(create), ...children, onCreated(read, create, 0)]
  return storyOf(ORDER.change + 0.91, steps, [check])
}

/** Whether two values are the same; times may be written in several ways. */
function isSameValue(one: unknown, other: unknown): boolean {
  const isTime = typeof one === 'string' && typeof other === 'string'
  return one === other || (isTime && Date.parse(one) === Date.parse(other))
}

/** How records of one group are created and listed for one of another. */
export function countedBy(
  { bindings: { create, read } }: BoundResource,
  children: BoundResource,
  contract: Contract,
): Counted | undefined {
  const { create: creates, list } = children.bindings
  if (!create || !read || !list || creates?.operation.method !== 'POST') return undefined
  const counted = { create, read, children, creates, list }
  const item = segmentsOf(read.operation.path)
  const isBelow = [creates, list].every(({ operation }) => {
    const above = recordTemplate(operation)
    return isSameTemplate(above, item) && segmentsOf(operation.path).length === above.length + 1
  })
  if (isBelow) return counted
  const { body } = creates.operation
  const isPlain = [creates, list].every(({ operation }) => !operation.path.includes('{'))
  if (!isPlain || !body) return undefined
  const schema = schemaAt(body.schema, creates.hints.body ?? '') ?? {}
  const sent = { ...creates.resource, schema }
  const resources = resourcesIn(contract)
  const isOwn = ({ to }: RecordLink): boolean => to === create.resource
  const certain = linksOf(sent, resources).filter(isOwn)
  const own = certain.length > 0 ? certain : linksByLastWords(sent, resources).filter(isOwn)
  const [link] = own
  return link && own.length === 1 ? { ...counted, link: link.property } : undefined
}

/** Words that say nothing more than which records are meant. */
const FILLER =
  /^(the|a|an|its?|this|that|these|those|all|of|in|on|with|for|at|from|below|to|and|or|are|is|ha[sd]|have|belongs?|status|state|whose|which|now|currently|present|moment|their|callers?|account|user|it|them|you|your|own|which|line|entry|item|record|row)$/

/** Words that say of whom records are: of all. */
const BY_ALL =
  /\b(of|by|from) (all|any|every) (the )?(users?|members?|accounts?|callers?|customers?|people)\b|\b(of|by|from) (everybody|everyone|anybody|anyone)\b/i

/** Words of later sentences that leave some records out. */
const LEFT_OUT = /\b(left out|not|without|except|only|exclud\w+|ignor\w+)\b/i

/** What a description says, if it says no more than is understood. */
export function statedNumber(
  name: string,
  text: string,
  { children, list, create }: Pick<Counted, 'children' | 'list' | 'create'>,
): StatedNumber | undefined {
  const [sentence = '', ...others] = text.replaceAll('`', '').split(/(?<=[.;])\s/)
  if (others.some((one) => LEFT_OUT.test(one))) return undefined
  // "Archived ones included" leaves none out.
  const [said = '', ...more] = sentence.split(/,|\bincluding\b/)
  const isAll = more.every((one) => /\b(ones|included|whatever|(of|in) (all|any))\b/.test(one))
  if (!isAll) return undefined
  const words = termsOf(said.replace(BY_ALL, ''))
  const schema = children.resource.schema
  const start = startOf(words, schema)
  if (!start) return undefined
  const { base, isSum, rest } = start
  const summed = isSum ? summedIn(rest, schema) : undefined
  if (isSum && !summed && base === undefined) return undefined
  const left = without(summed?.rest ?? rest, nounOf(list.resource.path))
  if (!left) return undefined
  const owner = nounOf(create.resource.path)
  const only = onlyIn(
    left.filter((word) => !FILLER.test(word) && !owner.includes(word)),
    schema,
  )
  if (!only) return undefined
  return {
    name,
    ...(summed && { summed: summed.properties }),
    ...(base !== undefined && { base }),
    ...(only.values.length > 0 && { only }),
  }
}

/** What is counted or added, after the words that say that; and what it is subtracted from: "Seats less the passengers of its bookings". */
function startOf(
  words: readonly string[],
  schema: Schema,
):
  | { readonly base?: string; readonly isSum: boolean; readonly rest: readonly string[] }
  | undefined {
  const start = /^(?:how many|(?:the )?(?:(?:total |current )?number|(sum)) of) /.exec(
    words.join(' '),
  )
  if (start)
    return { isSum: start[1] !== undefined, rest: words.slice(start[0].trim().split(' ').length) }
  const at = words.findIndex((one) => /^(less|minu|minus)$/.test(one))
  if (at < 1) return undefined
  const next = startOf(words.slice(at + 1), schema) ?? { isSum: true, rest: words.slice(at + 1) }
  return { ...next, base: words.slice(0, at).join(' ') }
}

/** The states and flags that words name, if they name nothing else; a flag may be negated. */
function onlyIn(
  unknown: readonly string[],
  schema: Schema,
): { readonly property: string; readonly values: readonly unknown[] } | undefined {
  const isNot = unknown.includes('not')
  const words = unknown.filter((one) => one !== 'not')
  if (words.length === 0) return isNot ? undefined : { property: '', values: [] }
  const [flag] =
    [...propertiesOf(schema)].find(
      ([name, one]) => typeOf(one) === 'boolean' && termsOf(name).join(' ') === words.join(' '),
    ) ?? []
  if (flag !== undefined) return { property: flag, values: [!isNot] }
  const [property, members] = statesOf(schema)
  const spelt = members.map((one) => ({ value: one, words: termsOf(String(one)) }))
  const named = spelt.filter((one) => one.words.every((word) => words.includes(word)))
  const known = named.flatMap((one) => one.words)
  if (property === undefined || words.some((word) => !known.includes(word))) return undefined
  const isWanted = (one: unknown): boolean => named.some(({ value }) => value === one) !== isNot
  return { property, values: members.filter(isWanted) }
}

/** The words of a text or a name, each in the singular. */
function termsOf(text: string): readonly string[] {
  const plain = text.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/['’]s?(?!\w)/g, '')
  return (plain.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((one) =>
    /^(its|this|has|is|status)$/.test(one) ? one : singular(one),
  )
}

/** What the records of a collection are called. */
function nounOf(path: string): readonly string[] {
  return termsOf(segmentsOf(path).at(-1) ?? '')
}

/** The words without those of a noun: all of them, or its last one. `undefined` when they do not have it. */
function without(words: readonly string[], noun: readonly string[]): readonly string[] | undefined {
  const last = noun.at(-1) ?? ''
  return words.includes(last) ? words.filter((one) => !noun.includes(one)) : undefined
}

/** The number that is added, and the words that say of which records: "the amounts of the lines" and "the lines' amounts". */
function summedIn(
  words: readonly string[],
  schema: Schema,
): { readonly properties: readonly string[]; readonly rest: readonly string[] } | undefined {
  const text = words.filter((one) => one !== 'the' && one !== 'its').join(' ')
  const numbers = numberNames(schema)
  const products = numbers.flatMap((one) => numbers.map((other) => [one, other] as const))
  for (const properties of [...numbers.map((one) => [one] as const), ...products]) {
    const full = properties.map((one) => termsOf(one).join(' ')).join(' time ')
    // "The amounts" may be called `amount_cents`.
    for (const called of new Set([full, full.replace(UNIT, '')])) {
      if (text.startsWith(`${called} of `))
        return { properties, rest: text.slice(called.length + 4).split(' ') }
      if (text.endsWith(` ${called}`))
        return { properties, rest: text.slice(0, -called.length - 1).split(' ') }
    }
  }
  return undefined
}

/** The unit at the end of a name. */
const UNIT =
  / (cent|euro|eur|usd|minute|min|hour|day|second|metre|meter|km|kg|gram|litre|liter|ml|cm|mm|percent)$/

/** The property that says in which state a record is, and its values. */
function statesOf(schema: Schema): readonly [string | undefined, readonly unknown[]] {
  const [name, property] =
    [...propertiesOf(schema)].find(
      ([one, own]) => /^(status|state)$/i.test(one) && keyword(own, 'enum') !== undefined,
    ) ?? []
  return [name, (property && keyword(property, 'enum')) ?? []]
}

/** Creates a record, and others that count; then actions and a removal of these. The numbers are read each time. */
function numberProbe(counted: Counted, numbers: readonly StatedNumber[]): Probe {
  const { create, read, creates, children } = counted
  const { remove, update, replace } = children.bindings
  const change = [update, replace].find((one) => one && isOnItem(creates, one))
  const isSummed = numbers.some(({ summed }) => summed !== undefined)
  const changes = change && isSummed ? [change] : []
  const removes = remove && isOnItem(creates, remove) ? [remove] : []
  const each = eachRead(counted)
  const shown = each
    ? CHILDREN.map((at) => orNext(onCreated(each, creates, at)))
    : [listFor(counted)]
  const reading = [onCreated(read, create, 0), ...shown]
  const effects = children.actions
    .filter((one) => isOnRecord(one, creates))
    .sort((one, other) => effectsIn(other) - effectsIn(one))
    .slice(0, MAX_ACTIONS)
  const steps = [
    creation(create),
    ...CHILDREN.map(() => childOf(counted)),
    ...reading,
    ...changes.flatMap((one) => [orNext(changed(one, counted)), ...reading]),
    ...effects.flatMap((one) => [onAction(one, creates, 1), ...reading]),
    // One of them may be of another record, where each refers to another one.
    ...removes.flatMap((one) => [
      orNext(onCreated(one, creates, 2)),
      ...reading,
      onCreated(one, creates, 1),
      ...reading,
    ]),
  ]
  const checks = numbers.map((one) => numberCheck(one, counted))
  return storyOf(ORDER.change + 0.9, steps, checks)
}

/** A change of the numbers of one of those that count. It still refers to the same record. */
function changed(change: ResourceBinding, { creates, link }: Counted): Step {
  const numbers = Object.entries(fullValues(change)).filter(
    ([name, value]) => typeof value === 'number' && !referenceName(name).hasIdSuffix,
  )
  const next = onCreated(change, creates, 1, (request) =>
    requiredOnly(request, change, Object.fromEntries(numbers)),
  )
  return async (session, before) => {
    const request = await next(session, before)
    const isMoved = link !== undefined && request?.body?.includes(`"${link}"`)
    return request && !isMoved ? { ...request, keepsReferences: true } : undefined
  }
}

/** The places of the creations of those that count. */
const CHILDREN = [1, 2]

/** How each of those that count is read. */
function eachRead({ creates, children: { bindings } }: Counted): ResourceBinding | undefined {
  return bindings.read && isOnItem(creates, bindings.read) ? bindings.read : undefined
}

/** A step that is left out where it cannot be made. */
function orNext(step: Step): Step {
  return async (session, before) => (await step(session, before)) ?? null
}

function effectsIn({ hints: { set = {} } }: ResourceBinding): number {
  return Object.keys(set).length
}

/** A new record that counts. */
export function childOf(
  { create, creates, read, link }: Counted,
  change: (request: ProbeRequest) => ProbeRequest = (request) => request,
): Step {
  const step: Step = async (session, before) => {
    const [owner] = before
    const id = owner && idOfCreated(owner, create)
    if (!owner || id === undefined) return undefined
    const request = change(await creationRequest(creates.operation, session))
    if (link === undefined) {
      const target = withPath(request.target, pathBelow(owner, id, read, creates))
      return { ...request, target, isValid: true, keepsParent: true }
    }
    const linked = [id, Number(id)].map((one) => withValues(request, creates, { [link]: one }))
    const found = linked.find(({ body = '' }) => body !== request.body && body.includes(id))
    return found && { ...found, isValid: true }
  }
  return Object.assign(step, { isCreation: true as const })
}

/** The list of the records that may count. */
function listFor({ create, read, list, link }: Counted): Step {
  return async (session, before) => {
    const [owner] = before
    const id = owner && idOfCreated(owner, create)
    if (!owner || id === undefined) return undefined
    const request = inLongestPage(await validRequest(list.operation, session), list)
    if (link === undefined)
      return { ...request, target: withPath(request.target, pathBelow(owner, id, read, list)) }
    const filter = list.operation.parameters.find(
      ({ in: place, name }) => place === 'query' && plainName(name) === plainName(link),
    )
    const isFilter = (name: string): boolean => name === filter?.name
    return filter
      ? { ...request, target: withQuery(request.target, isFilter, [[filter.name, id]]) }
      : request
  }
}

function pathBelow(
  owner: ProbeResponse,
  id: string,
  read: ResourceBinding,
  { operation }: ResourceBinding,
): string {
  const word = segmentsOf(operation.path).at(-1) ?? ''
  const start = itemTarget(owner, read.operation, id).replace(/\/$/, '')
  return `${start}/${encodeLiteral(word)}`
}

function numberCheck(stated: StatedNumber, counted: Counted): CheckDefinition {
  const { read, list } = counted
  const { name, summed, base } = stated
  const text = `returns ${name} as each ${nounOf(list.resource.path).join(' ')} says`
  return operationCheck(read.operation, `${name}/${list.operation.id}`, text, (responses) => {
    const judged = responses.flatMap((found, at) => {
      const shown = isSuccess(found) ? numberIn(found, read, name) : undefined
      const expected = expectedAt(responses, at, counted, stated)
      return expected === undefined || shown === undefined ? [] : [{ found, shown, expected }]
    })
    const wrong = judged.find(({ shown, expected }) => Math.abs(shown - expected) > ROUNDING)
    const [last] = judged.slice(-1)
    if (!last) return NOT_REACHED
    const { found, expected, shown } = wrong ?? last
    const what = summed === undefined ? 'as many as there are' : `the sum of ${summed.join(' × ')}`
    const all = base === undefined ? what : `${base} less ${what}`
    return passIf(!wrong, found, `"${name}": ${expected}, ${all}`, `"${name}": ${shown}`)
  })
}

/** The number that a read at a place should show, by the records that the next responses show. */
function expectedAt(
  responses: readonly ProbeResponse[],
  at: number,
  counted: Counted,
  stated: StatedNumber,
): number | undefined {
  const { create, read } = counted
  const [owner] = responses
  const found = responses[at]
  if (!owner || !found || found.request.operation !== read.operation) return undefined
  const records = recordsAfter(responses.slice(at + 1), counted, owner)
  const own = records && numberOf(records, stated)
  if (own === undefined) return undefined
  if (stated.base !== undefined) {
    const whole = numberCalled(found, read, stated.base)
    return whole === undefined ? undefined : whole - own
  }
  // What is read one by one is only what the run has created.
  const before = isSuccess(owner) ? numberIn(owner, create, stated.name) : undefined
  if (!eachRead(counted)) return own
  return before === undefined ? undefined : before + own
}

/** The number of a record whose name has these words. */
function numberCalled(
  found: ProbeResponse,
  read: ResourceBinding,
  words: string,
): number | undefined {
  const record = valuesIn(recordIn(found, read))
  const names = isObject(record) ? Object.keys(record) : []
  const name = names.find((one) => termsOf(one).join(' ') === words.replace(/^the /, ''))
  return name === undefined ? undefined : numberIn(found, read, name)
}

function numberIn(
  response: ProbeResponse,
  binding: ResourceBinding,
  name: string,
): number | undefined {
  const record = valuesIn(recordIn(response, binding))
  const value = isObject(record) ? record[name] : undefined
  return typeof value === 'number' ? value : undefined
}

/** Those that exist, as the next responses show them; `undefined` when these do not show it. */
function recordsAfter(
  next: readonly ProbeResponse[],
  counted: Counted,
  owner: ProbeResponse,
): readonly unknown[] | undefined {
  const { list, link, create } = counted
  const each = eachRead(counted)
  const id = idOfCreated(owner, create)
  const isOwn = (one: unknown): boolean =>
    link === undefined || (isObject(one) && String(one[link]) === id)
  if (!each) {
    const [listed] = next
    if (listed?.request.operation !== list.operation || !isSuccess(listed)) return undefined
    if (!isWhole(listed, list)) return undefined
    return (recordsAt(listed, list) ?? []).map(valuesIn).filter(isOwn)
  }
  const end = next.findIndex(({ request }) => request.operation !== each.operation)
  const found = next.slice(0, end < 0 ? next.length : end)
  if (found.length === 0 || found.some((one) => !isSuccess(one) && !isGone(one))) return undefined
  // An action may move one of them to another record.
  return found
    .filter(isSuccess)
    .map((one) => valuesIn(recordIn(one, each)))
    .filter(isOwn)
}

/** Differences that come from rounding. */
const ROUNDING = 0.011

/** The number by the records; `undefined` when they do not show what counts. */
function numberOf(records: readonly unknown[], { summed, only }: StatedNumber): number | undefined {
  let number = 0
  for (const record of records) {
    if (!isObject(record)) return undefined
    if (only && record[only.property] === undefined) return undefined
    if (only && !only.values.includes(record[only.property])) continue
    const factors = (summed ?? []).map((name) => record[name])
    if (!factors.every((one) => typeof one === 'number')) return undefined
    number += factors.reduce<number>((product, one) => product * Number(one), 1)
  }
  return number
}
