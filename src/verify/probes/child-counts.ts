import type { Contract, Operation } from '../../contract/contract.ts'
import { propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { singular } from '../../resources/reference-names.ts'
import { isObject } from '../../validation/objects.ts'
import { type CheckDefinition, operationCheck, passIf } from '../checks/check.ts'
import { shownSchema } from '../checks/shown-values.ts'
import { isWhole } from '../checks/whole-list.ts'
import { isSuccess, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import {
  boundTo,
  createdId,
  idIn,
  isItemOf,
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
import { plainCreations } from '../session/own-records.ts'
import {
  escaped,
  hasWords,
  isInOtherState,
  membersOf,
  sentencesOf,
  spaced,
} from '../session/stated-rules.ts'
import { createAt, creationRequest, validRequest } from '../session/valid-request.ts'
import { choicesFor, type GivenValues, presetsOf, withValues } from '../test-data/full-body.ts'
import { keyword, numberNames, typeOf } from '../test-data/values.ts'
import { onAction } from './actions.ts'
import { ORDER, type Probe } from './probe.ts'
import { CONDITION } from './stated-effects.ts'
import { type Counted, childOf, countedBy } from './stated-numbers.ts'
import { itemOf } from './stated-relations.ts'
import {
  creation,
  idOfCreated,
  inLongestPage,
  NOT_REACHED,
  onCreated,
  type Step,
  storyOf,
} from './steps.ts'

/** The number of records below a record, such as `device_count` of a site, grows by one with each new one, and is as before when that is removed. */
export function childCountProbes(
  { bindings: { create, remove } }: BoundResource,
  contract: Contract,
  texts: DocumentTexts,
): Probe[] {
  if (create?.operation.method !== 'POST') return []
  const template = recordTemplate(create.operation)
  const [collection, ...rest] = segmentsOf(create.operation.path).slice(template.length)
  const read = contract.operations.find(
    (one) => one.method === 'GET' && isSameTemplate(segmentsOf(one.path), template),
  )
  const binding = read && boundTo(contract, read)
  const isCreated = plainCreations(contract).at(template, create.operation) !== undefined
  if (!collection || rest.length > 0 || template.length === 0 || !isCreated) return []
  if (binding?.action !== 'read') return []
  const name = countName(binding, collection)
  const removes = remove && isItemOf(create.operation, remove.operation) ? remove : undefined
  if (name === undefined) return []
  const text = texts.property(binding.operation.id, name)
  const isCounted = (created: ProbeResponse): boolean =>
    !isInOtherState(valuesIn(recordIn(created, create)), text, create.resource.schema)
  const counted = { create, read: binding, remove: removes?.operation, isCounted }
  const plain = countProbe(counted, name, template)
  return countsAll(text, create) ? [plain, ...otherCountProbe(counted, name, template)] : [plain]
}

/** Whether a description counts all records, and not those with a property: "The number of measurements that the sample has now". */
function countsAll(text: string, { resource }: ResourceBinding): boolean {
  const isOfSome = [...propertiesOf(resource.schema)].some(([name, one]) => {
    const words = [...(keyword(one, 'enum') ?? []).map(String), ...[spaced(name)]]
    const isChoice = typeOf(one) === 'boolean' || keyword(one, 'enum') !== undefined
    return isChoice && words.some((word) => hasWords(spaced(text), spaced(word)))
  })
  return /\b(number|count|many)\b/i.test(text) && !isOfSome
}

/** A record with other flags and choices than a usual one is counted, too. */
function otherCountProbe(
  counted: CountedOperations,
  name: string,
  template: readonly string[],
): Probe[] {
  const { create } = counted
  const usual = Object.fromEntries(presetsOf(create))
  const choices = choicesFor(create, usual, false)
  if (Object.keys(choices).length === 0) return []
  return [countProbe({ ...counted, remove: undefined, choices }, name, template)]
}

function countName(read: ResourceBinding, collection: string): string | undefined {
  const names = countNames(collection)
  return [...propertiesOf(shownSchema(read) ?? {})].find(
    ([name, one]) => names.includes(plainName(name)) && typeOf(one) === 'integer',
  )?.[0]
}

/** The names of the number of records in a collection. */
export function countNames(collection: string): readonly string[] {
  const plural = plainName(collection)
  const words = [
    plural,
    plural.replace(/ies$/, 'y'),
    plural.replace(/es$/, ''),
    plural.replace(/s$/, ''),
  ]
  return words.flatMap((word) => [`${word}count`, `num${word}`, `numberof${word}`, `total${word}`])
}

/** What makes a record below another one, reads that one, and removes the record again. */
interface CountedOperations {
  readonly create: ResourceBinding
  readonly read: ResourceBinding
  readonly remove: Operation | undefined
  /** Whether the description counts records in the state of a new one. */
  readonly isCounted: (created: ProbeResponse) => boolean
  /** Flags and choices of the new record; default: those of a usual one. */
  readonly choices?: GivenValues
}

function countProbe(
  { create: binding, read, remove, isCounted, choices }: CountedOperations,
  name: string,
  template: readonly string[],
): Probe {
  const create = binding.operation
  const what = Object.keys(choices ?? {}).join(', ')
  const text = `counts a new record of ${create.id} in ${name}${what && ` with another ${what}`}`
  const check = operationCheck(
    read.operation,
    `${name}/${create.id}${choices ? '/others' : ''}`,
    text,
    ([before, created, after]) => {
      if (!before || !created || !after || ![before, created, after].every(isSuccess))
        return NOT_REACHED
      const [first, second] = [before, after].map((one) => valuesIn(recordIn(one, read)))
      if (!isObject(first) || !isObject(second)) return NOT_REACHED
      const [old, now] = [first[name], second[name]]
      if (typeof old !== 'number' || typeof now !== 'number' || created.status === 202)
        return NOT_REACHED
      const expected = isCounted(created) ? old + 1 : old
      return passIf(now === expected, after, `"${name}": ${expected}`, `"${name}": ${now}`)
    },
  )
  return {
    order: ORDER.create + 0.85,
    maxRequests: remove ? 6 : 4,
    creations: 2,
    requires: 'writes',
    checks: remove ? [check, removedCheck(read, name, remove, isCounted)] : [check],
    send: async (session) => {
      const parent = await createAt(template, create, session)
      const start = `/${parent.slice(1).join('/')}`
      const reading = async (): ReturnType<typeof session.send> => {
        const request = await validRequest(read.operation, session)
        return await session.send({ ...request, target: withPath(request.target, start) })
      }
      const words = segmentsOf(create.path).slice(template.length)
      const creating = async (): ReturnType<typeof session.send> => {
        const plain = await creationRequest(create, session)
        const request = choices ? withValues(plain, binding, choices) : plain
        const target = withPath(request.target, [start, ...words].join('/'))
        return await session.send({ ...request, target, keepsParent: true })
      }
      // The search for a body that the service accepts may create several records.
      const { length } = session.responses
      let [before, created] = [await reading(), await creating()]
      const isOwn = (one: ProbeResponse): boolean => one.request.operation === create
      if (session.responses.slice(length).filter((one) => isOwn(one) && isSuccess(one)).length > 1)
        [before, created] = [await reading(), await creating()]
      const responses = [before, created, await reading()]
      const id = isSuccess(created) ? createdId(created, binding) : undefined
      if (!remove || id === undefined) return responses
      const removal = await validRequest(remove, session)
      const path = itemTarget(created, remove, id)
      const removed = await session.send({ ...removal, target: withPath(removal.target, path) })
      return [...responses, removed, await reading()]
    },
  }
}

/** The removal of the record that was counted is counted, too. */
function removedCheck(
  read: ResourceBinding,
  name: string,
  remove: Operation,
  isCounted: CountedOperations['isCounted'],
): CheckDefinition {
  const text = `counts the removal by ${remove.id} in ${name}`
  return operationCheck(read.operation, `${name}/${remove.id}`, text, (responses) => {
    const [, created, counted, removed, after] = responses
    if (!created || !counted || !removed || !after) return NOT_REACHED
    if (![created, counted, removed, after].every(isSuccess) || removed.status === 202)
      return NOT_REACHED
    const [first, second] = [counted, after].map((one) => valuesIn(recordIn(one, read)))
    if (!isObject(first) || !isObject(second)) return NOT_REACHED
    const [old, now] = [first[name], second[name]]
    if (typeof old !== 'number' || typeof now !== 'number') return NOT_REACHED
    const expected = isCounted(created) ? old - 1 : old
    return passIf(now === expected, after, `"${name}": ${expected}`, `"${name}": ${now}`)
  })
}

/**
 * What sentences say of the record above or beside one: numbers that move by one, as in "availableCopies of the piece falls by one", and
 * its state, as in "the bed becomes free".
 */
export function movedNumberProbes(
  groups: readonly BoundResource[],
  contract: Contract,
  texts: DocumentTexts,
): Probe[] {
  return groups.flatMap((owner) => {
    const { create, read } = owner.bindings
    if (create?.operation.method !== 'POST' || !read || !isOnItem(create, read)) return []
    const numbers = numberNames(shownSchema(read) ?? {})
    const states = statesOf(create, read)
    return groups.flatMap((children) => {
      const { create: creates, remove } = children.bindings
      if (children === owner || !creates) return []
      const onChild = [remove, ...children.actions].filter(
        (one) => one !== undefined && isOnItem(creates, itemOf(one)),
      )
      const moved = [creates, ...onChild].flatMap((one) => {
        if (!one) return []
        const moves = movesIn(one.operation, numbers, texts)
        const undone = one === creates ? [] : undoneIn(one.operation, numbers, texts)
        const others = undone.filter(({ name }) => moves.every((move) => move.name !== name))
        const brought = broughtIn(one.operation, states, texts)
        return [...moves, ...others, ...brought].map((move) => ({ ...move, by: one }))
      })
      const counted = moved.length > 0 ? countedBy(owner, children, contract) : undefined
      return counted ? moved.map((one) => movedNumberProbe(counted, one)) : []
    })
  })
}

/** What says that a list leaves nothing out, such as "the discontinued ones included". */
const WITH_ALL = /\b(includ(ed|ing)|also|as well|whatever|whether or not)\b/i

/**
 * A list below a record, such as `/suppliers/{id}/articles`, has the records of another collection that refer to it, also those with a
 * flag that its description includes.
 */
export function linkedListProbes(
  groups: readonly BoundResource[],
  contract: Contract,
  texts: DocumentTexts,
): Probe[] {
  return groups.flatMap((owner) =>
    groups.flatMap((children): Probe[] => {
      const counted = children === owner ? undefined : countedBy(owner, children, contract)
      if (counted?.link === undefined) return []
      const word = segmentsOf(counted.list.operation.path).at(-1) ?? ''
      const place = [...segmentsOf(counted.read.operation.path), word]
      const list = contract.operations.find(
        ({ method, path }) => method === 'GET' && isSameTemplate(segmentsOf(path), place),
      )
      const binding = list && boundTo(contract, list)
      return binding?.action === 'list' ? [linkedListProbe(counted, binding, texts)] : []
    }),
  )
}

function linkedListProbe(counted: Counted, list: ResourceBinding, texts: DocumentTexts): Probe {
  const { create, creates, link = '' } = counted
  const { operation } = list
  const said = sentencesOf(texts.operation(operation.id)).filter((one) => WITH_ALL.test(one))
  const sent = propertiesOf(
    schemaAt(creates.operation.body?.schema ?? {}, sentPlace(creates)) ?? {},
  )
  const flags = [...sent].flatMap(([name, schema]) =>
    typeOf(schema) === 'boolean' && said.some((one) => hasWords(spaced(one), spaced(name)))
      ? [[name, true] as const]
      : [],
  )
  const flagged = Object.fromEntries(flags)
  const text = `lists the records of ${creates.operation.id} that refer to the one in the path`
  const check = operationCheck(operation, 'linked', text, ([owner, first, second, listed]) => {
    if (!owner || !listed || !isSuccess(listed) || !isWhole(listed, list)) return NOT_REACHED
    const ids = new Set(recordsAt(listed, list)?.map((one) => idIn(one, list)))
    const own = [first, second].flatMap((one) => {
      const record = one && isSuccess(one) ? valuesIn(recordIn(one, creates)) : undefined
      const to = isObject(record) ? String(record[link]) : undefined
      return (one && to === idOfCreated(owner, create) && idOfCreated(one, creates)) || []
    })
    const lost = own.find((one) => !ids.has(one))
    if (own.length === 0) return NOT_REACHED
    return passIf(lost === undefined, listed, `the record ${lost}`)
  })
  const listing: Step = async (session, [owner]) => {
    const id = owner && idOfCreated(owner, create)
    if (!owner || id === undefined) return undefined
    const request = await validRequest(operation, session)
    const start = itemTarget(owner, counted.read.operation, id)
    const target = withPath(request.target, `${start}/${segmentsOf(operation.path).at(-1)}`)
    return inLongestPage({ ...request, target }, list)
  }
  const changed = (request: ProbeRequest): ProbeRequest => withValues(request, creates, flagged)
  const steps = [creation(create), childOf(counted), childOf(counted, changed), listing]
  return storyOf(ORDER.change + 0.93, steps, [check])
}

interface Move {
  readonly name: string
  /** Without it, the number is as it was before the record was created. */
  readonly step?: 1 | -1
  /** The state, where it is no number. */
  readonly value?: unknown
  readonly sentence: string
}

/** The states of a record, with the ways to say that it comes into each. */
function statesOf(
  create: ResourceBinding,
  read: ResourceBinding,
): readonly { readonly name: string; readonly value: unknown; readonly said: RegExp }[] {
  const noun = escaped(spaced(singular(segmentsOf(create.operation.path).at(-1) ?? '')))
  const verbs =
    '(?:becomes?|gets?|turns?|goes|is set to|is made|is marked(?: as)?)(?: then| again)? '
  return [...propertiesOf(shownSchema(read) ?? {})].flatMap(([name, schema]) => {
    const of = `(?:'?s? ${escaped(spaced(name))})?`
    return membersOf(name, schema).map(([value, words]) => {
      const own = escaped(words)
      const forms = [
        `\\b(?:the|its) ${noun}${of} ${verbs}${own}\\b`,
        `\\b(?:the|its) ${noun}${of} is (?:(?:then|again) ${own}\\b|${own} (?:then|again|afterwards)\\b)`,
        `\\bbecomes? .*\\b(?:and|,) the ${noun} ${own}(?: again)?(?= *[,.;]|$| and\\b)`,
      ]
      return { name, value, said: new RegExp(forms.join('|')) }
    })
  })
}

/** The states into which a description says that the record above or beside one comes. */
function broughtIn(
  { id }: Operation,
  states: ReturnType<typeof statesOf>,
  texts: DocumentTexts,
): readonly Move[] {
  const sentences = sentencesOf(texts.operation(id)).map(spaced)
  const about = sentences.filter((one) => !CONDITION.test(one))
  return states.flatMap(({ name, value, said }) => {
    const sentence = about.find((one) => said.test(one))
    return sentence === undefined ? [] : [{ name, value, sentence }]
  })
}

/** Words by which a removal or an action undoes what the creation of its record did. */
const UNDOES =
  /\b(take|give|put|go|come|move)(s|es)? back\b|\b(is|are) (given|taken|put) back\b|\b(returned|restores?|restored|freed?|frees|releases?|released|reverses?|reversed|reverts?|reverted|undoes|undone|follows?) ?(to|from|of)?\b|\bagain\b/

/** The numbers that a description says are as they were without the record. */
function undoneIn(
  { id }: Operation,
  numbers: readonly string[],
  texts: DocumentTexts,
): readonly Move[] {
  const sentences = sentencesOf(texts.operation(id)).map(spaced)
  const about = sentences.filter((one) => UNDOES.test(one) && !CONDITION.test(one))
  return numbers.flatMap((name) => {
    const sentence = about.find((one) => hasWords(one, spaced(name)))
    return sentence === undefined ? [] : [{ name, sentence }]
  })
}

/** The numbers that a description says to move by one. */
function movesIn(
  { id }: Operation,
  numbers: readonly string[],
  texts: DocumentTexts,
): readonly Move[] {
  const sentences = sentencesOf(texts.operation(id)).map(spaced)
  return numbers.flatMap((name) => {
    const own = escaped(spaced(name))
    const longer = numbers.map(spaced).filter((one) => one !== own && hasWords(one, own))
    const has = (sentence: string, verbs: string, states: string): boolean =>
      new RegExp(
        `\\b(${verbs})s? (the |its )?${own}\\b[^,;]*\\bby (one|1)\\b|\\b${own}\\b[^,;]* (${states}) by (one|1)\\b`,
      ).test(sentence)
    return sentences.flatMap((sentence): readonly Move[] => {
      if (longer.some((one) => hasWords(sentence, one))) return []
      if (
        has(
          sentence,
          'raise|increase|increment',
          'grows|rises|increases|goes up|is (raised|increased|incremented)',
        )
      )
        return [{ name, step: 1, sentence }]
      return has(
        sentence,
        'lower|decrease|decrement|reduce',
        'falls|drops|shrinks|decreases|goes down|is (lowered|decreased|decremented|reduced)',
      )
        ? [{ name, step: -1, sentence }]
        : []
    })
  })
}

function movedNumberProbe(
  counted: Counted,
  { name, step, value, sentence, by }: Move & { readonly by: ResourceBinding },
): Probe {
  const { create, creates, read } = counted
  const { operation } = by
  const text = `moves ${name} of the record above or beside it, as its description says`
  const place = value === undefined ? name : `${segmentsOf(create.operation.path).at(-1)}/${name}`
  const isBack = step === undefined && value === undefined
  const check = operationCheck(operation, `told/${place}`, text, (responses) => {
    const at = responses.findIndex(
      ({ request }, place) => place > 0 && request.operation === operation,
    )
    const first = isBack ? responses[1] : responses[at - 1]
    const [before, done, after] = [responses[at - 1], responses[at], responses[at + 1]]
    if (!first || !before || !done || !after || ![first, before, done, after].every(isSuccess))
      return NOT_REACHED
    if (done.status === 202) return NOT_REACHED
    const [start, old, now] = [first, before, after].map((one) => {
      const record = valuesIn(recordIn(one, read))
      return isObject(record) ? record[name] : undefined
    })
    const wanted = value ?? (typeof start === 'number' ? start + (step ?? 0) : undefined)
    // What a new record does not move, its removal does not move back.
    if (wanted === undefined || typeof now !== typeof wanted || (isBack && start === old))
      return NOT_REACHED
    const [expected, received] = [wanted, now].map((one) => `"${name}": ${JSON.stringify(one)}`)
    return passIf(now === wanted, after, `${expected}: "${sentence}"`, received)
  })
  const reading = onCreated(read, create, 0)
  const made = step === undefined ? 2 : 1
  const own: Step[] =
    by === creates
      ? [reading, childOf(counted), reading]
      : [
          ...(step === undefined ? [reading] : []),
          childOf(counted),
          reading,
          by.action === 'remove' ? onCreated(by, creates, made) : onAction(by, creates, made),
          reading,
        ]
  return storyOf(ORDER.change + 0.92, [creation(create), ...own], [check])
}
