import type { Contract } from '../../contract/contract.ts'
import { documentedResponse } from '../../contract/documented-response.ts'
import { propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import { withQuery } from '../../requests/outgoing-request.ts'
import { type ResourceBinding, resourcesIn } from '../../resources/bind.ts'
import { linksOf } from '../../resources/record-links.ts'
import { isObject } from '../../validation/objects.ts'
import { type CheckDefinition, operationCheck, passIf } from '../checks/check.ts'
import { isSuccess, type ProbeResponse } from '../messages.ts'
import {
  idIn,
  isOnCollection,
  isOnItem,
  recordIn,
  recordsAt,
  sentPlace,
  valuesIn,
} from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { linksByLastWords } from '../session/property-links.ts'
import type { Session } from '../session/session.ts'
import { hasWords, sentencesOf, spaced } from '../session/stated-rules.ts'
import { creationRequest } from '../session/valid-request.ts'
import { recordSchema, withValues } from '../test-data/full-body.ts'
import { isNumber, numberNames, typeOf } from '../test-data/values.ts'
import { ORDER, type Probe } from './probe.ts'
import { doAction } from './stated-conflicts.ts'
import { itemOf } from './stated-relations.ts'
import { idOfCreated, inLongestPage, listBeside, NOT_REACHED, onCreated } from './steps.ts'

/** What says that more is asked for than there is: "409 if fewer copies are available", "not enough stock", "exceeds `seats_left`". */
const TOO_MUCH =
  /\b(fewer|less|not enough|too few|insufficient|more( \w+)? than|exceed(s|ed|ing)?|enough|at least (as|so) many)\b/i

/** What says that a record takes its amount from another one, and gives it back. */
const TAKES =
  /\b(goes|go|comes?) down\b|\b(falls?|drops?|decreases?|shrinks?|sinks?|lowers?|reduces?|subtracts?|deducts?|takes?|reserves?|is (lowered|reduced|decreased|reserved|taken))\b/i
const GIVES =
  /\b(goes|go|comes?) up\b|\b(rises?|grows?|increases?|raises?|restores?|adds?|(gives?|given|puts?|takes?|taken|goes|comes?) [\w ]{0,30}back|(is|are) (raised|increased|restored|given back|returned|free again|available again))\b/i

/** Names of amounts that a new record asks for, and of those that another one has. */
const AMOUNT =
  /(quantity|amount|count|copies|seats|places|units|number|pieces|tickets|stock|capacity|inventory|total|size)$/i

/** How much there is of the record that is taken from, as far as the document allows it. All of it is taken. */
const THERE = 5

/** A collection whose records take an amount of one of another collection. */
interface Taking {
  readonly owner: BoundResource
  readonly create: ResourceBinding
  readonly creates: ResourceBinding
  readonly link: string
  /** What the owner shows of what is left. */
  readonly left: string
  /** The amount that a new record asks for. */
  readonly amount: string
  readonly sentences: readonly string[]
  /** An action that gives the amount back, and the sentence that says so. */
  readonly end?: { readonly binding: ResourceBinding; readonly sentence: string } | undefined
}

/**
 * Amounts that new records take of another one, as in "`available` of the score goes down by `copies`. 409 if fewer copies are available":
 * more than there is is refused, and what is taken is given back where the document says so.
 */
export function statedAmountProbes(
  groups: readonly BoundResource[],
  contract: Contract,
  texts: DocumentTexts,
): Probe[] {
  const resources = resourcesIn(contract)
  return groups.flatMap((children) => {
    const { create: creates } = children.bindings
    const { body } = creates?.operation ?? {}
    if (creates?.operation.method !== 'POST' || !body) return []
    const schema = schemaAt(body.schema, sentPlace(creates)) ?? {}
    const sent = { ...creates.resource, schema }
    const certain = linksOf(sent, resources)
    const links = [...certain, ...linksByLastWords(sent, resources)]
    const sentences = sentencesOf(texts.operation(creates.operation.id)).map(spaced)
    const amounts = numberNames(schema).filter((name) => AMOUNT.test(name))
    return groups.flatMap((owner) => {
      const link = links.find(({ to }) => to === owner.bindings.create?.resource)?.property
      const { create } = owner.bindings
      if (owner === children || link === undefined || create?.operation.method !== 'POST') return []
      const asking = { children, creates, link, amounts, sentences }
      return takingsIn(owner, create, asking, texts).map((one) => takingProbe(one, texts))
    })
  })
}

interface Asking {
  readonly children: BoundResource
  readonly creates: ResourceBinding
  readonly link: string
  readonly amounts: readonly string[]
  readonly sentences: readonly string[]
}

function takingsIn(
  owner: BoundResource,
  create: ResourceBinding,
  { children, creates, link, amounts, sentences }: Asking,
  texts: DocumentTexts,
): readonly Taking[] {
  const shown = owner.bindings.read ?? owner.bindings.list
  const [amount, ...others] = amounts.filter((one, _, all) => {
    const isNamed = sentences.some((said) => hasWords(said, spaced(one)))
    return all.length === 1 || isNamed
  })
  if (!shown || amount === undefined || others.length > 0) return []
  const numbers = numberNames(create.resource.schema).filter((one) => one !== amount)
  const [left, ...more] = numbers.filter((one) =>
    sentences.some(
      (said) => (TAKES.test(said) || TOO_MUCH.test(said)) && hasWords(said, spaced(one)),
    ),
  )
  if (left === undefined || more.length > 0) return []
  const ends = [
    ...children.actions,
    ...(children.bindings.remove ? [children.bindings.remove] : []),
  ]
  const end = ends
    .filter((one) => isOnItem(creates, itemOf(one)))
    .flatMap((binding) =>
      sentencesOf(texts.operation(binding.operation.id))
        .map(spaced)
        .filter((said) => GIVES.test(said) && hasWords(said, spaced(left)))
        .map((sentence) => ({ binding, sentence })),
    )
    .at(0)
  return [{ owner, create, creates, link, left, amount, sentences, end }]
}

/** What a run has seen of one record: what is left at first, when all of it is taken, and when it is given back. */
interface Seen {
  more?: ProbeResponse | undefined
  made?: ProbeResponse | undefined
  listed?: ProbeResponse | undefined
  readonly left: {
    before?: number | undefined
    made?: number | undefined
    after?: number | undefined
  }
}

function takingProbe(taking: Taking, texts: DocumentTexts): Probe {
  const refusal = taking.sentences.find(
    (one) => TOO_MUCH.test(one) && hasConflict(one, taking.creates),
  )
  const flag = flagOf(taking, texts)
  const seen: Seen = { left: {} }
  return {
    order: ORDER.change + 0.94,
    maxRequests: 8,
    creations: 3,
    requires: 'writes',
    checks: [
      ...(refusal === undefined ? [] : [tooMuchCheck(taking, refusal, seen)]),
      ...takenChecks(taking, seen),
      ...flagChecks(taking, flag, seen),
      ...givenBackChecks(taking, seen),
    ],
    send: async (session) => {
      const { create, creates, end } = taking
      const plain = await creationRequest(create.operation, session)
      const small = withValues(plain, create, amountsIn(create))
      const first = await session.send({ ...small, isValid: true })
      const before = await leftOf(session, first, taking)
      if (before === undefined || before < 1) return [first]
      const isOpen =
        refusal === undefined || (await isRefused(session, first, taking, before, seen))
      const made = isOpen ? await asking(session, first, taking, before) : undefined
      if (!made || idOfCreated(made, creates) === undefined) return [first]
      seen.made = made
      Object.assign(seen.left, { before, made: await leftOf(session, first, taking, true) })
      if (flag !== undefined) seen.listed = await listedWith(session, first, taking, flag)
      const done =
        end && (await doAction(session, made, creates, end.binding, { keepsRefusal: true }))
      if (!done || !isSuccess(done)) return [first, made]
      seen.left.after = await leftOf(session, first, taking, true)
      return [first, made, done]
    },
  }
}

/** Whether more than there is is refused, so that a request for all of it can follow. */
async function isRefused(
  session: Session,
  first: ProbeResponse,
  taking: Taking,
  before: number,
  seen: Seen,
): Promise<boolean> {
  const more = await asking(session, first, taking, before + 1)
  seen.more = more
  if (more && isSuccess(more)) seen.made = more
  return more !== undefined && !isSuccess(more)
}

function tooMuchCheck(
  { creates, amount, left }: Taking,
  refusal: string,
  seen: Seen,
): CheckDefinition {
  const text = `is refused when ${amount} is more than ${left} of the other record`
  return operationCheck(creates.operation, `stated/${amount}>${left}`, text, () => {
    const { more, made } = seen
    if (!more || !made || !isSuccess(made)) return NOT_REACHED
    return passIf(!isSuccess(more), more, `409: "${refusal.trim()}"`)
  })
}

function takenChecks({ creates, amount, left, sentences }: Taking, seen: Seen): CheckDefinition[] {
  const sentence = sentences.find((one) => TAKES.test(one) && hasWords(one, spaced(left)))
  if (sentence === undefined) return []
  const text = `takes ${amount} of ${left}`
  const check = operationCheck(creates.operation, `told/${left}/${amount}`, text, () => {
    const { made } = seen.left
    if (!seen.made || made === undefined) return NOT_REACHED
    return passIf(made === 0, seen.made, `"${left}": 0: "${sentence}"`, `"${left}": ${made}`)
  })
  return [check]
}

function givenBackChecks({ amount, left, end }: Taking, seen: Seen): CheckDefinition[] {
  if (!end) return []
  const text = `gives ${amount} back to ${left}`
  const check = operationCheck(end.binding.operation, `told/${left}/${amount}`, text, () => {
    const { before, made, after } = seen.left
    if (!seen.made || before === undefined || after === undefined || made === before)
      return NOT_REACHED
    const [expected, received] = [before, after].map((one) => `"${left}": ${one}`)
    return passIf(after === before, seen.made, `${expected}: "${end.sentence}"`, received)
  })
  return [check]
}

/** What says that a flag of a list leaves out records of which nothing is left: "only scores with at least one available copy". */
const ONLY_LEFT = /\bonly\b.*\b(at least (one|1)|with|that (have|has|are)|which (have|has|are))\b/i

/** The flag of the list of the records that are taken from with which it has only those that have something left. */
function flagOf({ owner, create, left, amount }: Taking, texts: DocumentTexts): string | undefined {
  const { list } = owner.bindings
  if (!list || !isOnCollection(list.operation, create.operation)) return undefined
  const words = [spaced(left), ...(left === amount ? [] : ['in stock', 'left', 'available'])]
  return list.operation.parameters.find(({ in: place, name, schema }) => {
    const said = spaced(texts.parameter(list.operation.id, name))
    const isMeant = ONLY_LEFT.test(said) && words.some((word) => hasWords(said, word))
    const isNegated = /\b(no|not|without|false only)\b/.test(said.split(/\bfalse\b/)[0] ?? '')
    return place === 'query' && typeOf(schema) === 'boolean' && isMeant && !isNegated
  })?.name
}

function flagChecks(
  { owner: { bindings }, left }: Taking,
  flag: string | undefined,
  seen: Seen,
): CheckDefinition[] {
  const { list } = bindings
  if (!list || flag === undefined) return []
  const text = `has no record with a ${left} of 0 where ${flag} is true`
  const check = operationCheck(list.operation, `${flag}=true/${left}`, text, () => {
    const page = seen.left.made === 0 ? seen.listed : undefined
    const records = page && isSuccess(page) ? recordsAt(page, list) : undefined
    if (!page || !records) return NOT_REACHED
    const isNone = (one: unknown): boolean => {
      const values = valuesIn(one)
      return isObject(values) && values[left] === 0
    }
    return passIf(!records.some(isNone), page, `no record with "${left}": 0`)
  })
  return [check]
}

async function listedWith(
  session: Session,
  first: ProbeResponse,
  { owner: { bindings } }: Taking,
  flag: string,
): Promise<ProbeResponse | undefined> {
  const { list } = bindings
  const request = list && (await listBeside(list, 0)(session, [first]))
  if (!request) return undefined
  const target = withQuery(request.target, (one) => one === flag, [[flag, 'true']])
  return await session.send({ ...request, target })
}

/** Whether a sentence is about a conflict, or any of an operation that has one. */
function hasConflict(sentence: string, { operation }: ResourceBinding): boolean {
  return (
    /\b4\d\d\b|\bconflict|\b(can ?not|can't|refused|rejected)\b/i.test(sentence) &&
    documentedResponse(operation, 409) !== undefined
  )
}

/** The amounts with which a record is created, so that there is little to take. */
function amountsIn(create: ResourceBinding): Readonly<Record<string, number>> {
  const all = [...propertiesOf(recordSchema(create))]
  const found = all.filter(([name, schema]) => isNumber(schema) && AMOUNT.test(name))
  return Object.fromEntries(found.map(([name]) => [name, THERE]))
}

/** What is left of a created record; read again, if it is no longer as it was created. */
async function leftOf(
  session: Session,
  first: ProbeResponse,
  { owner: { bindings }, create, left }: Taking,
  isAgain = false,
): Promise<number | undefined> {
  const id = idOfCreated(first, create)
  const { read, list } = bindings
  if (id === undefined) return undefined
  const numberIn = (record: unknown): number | undefined => {
    const values = valuesIn(record)
    const value = isObject(values) ? values[left] : undefined
    return typeof value === 'number' ? value : undefined
  }
  const own = isAgain ? undefined : numberIn(recordIn(first, create))
  if (own !== undefined) return own
  if (read && isOnItem(create, read)) {
    const request = await onCreated(read, create, 0)(session, [first])
    return request ? numberIn(recordIn(await session.send(request), read)) : undefined
  }
  if (!list || !isOnCollection(list.operation, create.operation)) return undefined
  const request = await listBeside(list, 0)(session, [first])
  const page = request && (await session.send(inLongestPage(request, list)))
  const found = page && recordsAt(page, list)?.find((one) => idIn(one, list) === id)
  return found === undefined ? undefined : numberIn(found)
}

/** A new record that asks for an amount of a created one. */
async function asking(
  session: Session,
  first: ProbeResponse,
  { create, creates, link, amount }: Taking,
  count: number,
): Promise<ProbeResponse | undefined> {
  const id = idOfCreated(first, create) ?? ''
  const plain = await creationRequest(creates.operation, session)
  for (const one of [id, Number(id)]) {
    const request = withValues(plain, creates, { [link]: one, [amount]: count })
    const sent = request.body ?? ''
    if (
      !sent.includes(`"${link}":${JSON.stringify(one)}`) ||
      !sent.includes(`"${amount}":${count}`)
    )
      continue
    return await session.send({ ...request, isRepeated: true })
  }
  return undefined
}
