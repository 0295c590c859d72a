import type { Contract, Operation } from '../../contract/contract.ts'
import { isCheckable } from '../../contract/credentials.ts'
import { propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { withQuery } from '../../requests/outgoing-request.ts'
import type { TextPair } from '../../requests/serialize-parameter.ts'
import { type ResourceBinding, resourcesIn } from '../../resources/bind.ts'
import { linksOf } from '../../resources/record-links.ts'
import { singular } from '../../resources/reference-names.ts'
import { isObject } from '../../validation/objects.ts'
import {
  type CheckDefinition,
  type Evaluate,
  type LeftOut,
  NO_RESPONSE,
  operationCheck,
  passIf,
} from '../checks/check.ts'
import { isWhole } from '../checks/whole-list.ts'
import { isSuccess, isUnauthorized, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import {
  boundTo,
  hasWholeParameters,
  idIn,
  isId,
  isItemOf,
  isOnCollection,
  isOnItem,
  isParameter,
  isSameTemplate,
  lastOf,
  listedIn,
  pathOf,
  recordIn,
  recordsAt,
  recordTemplate,
  segmentsOf,
  sentPlace,
  valuesIn,
  withPath,
} from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { isInvalidInput } from '../session/accepted-bodies.ts'
import type { Session } from '../session/session.ts'
import {
  collectionsOf,
  hasCommonRecords,
  hidesOthers,
  isShared,
  ownedCollections,
  ownRefusal,
  roleOf,
  statedRefusal,
} from '../session/stated-owners.ts'
import { hasWords, membersOf, mentions, sentencesOf, spaced } from '../session/stated-rules.ts'
import { createAt, ownPath, validRequest } from '../session/valid-request.ts'
import { fullValues, withValues } from '../test-data/full-body.ts'
import { wordsOf } from '../test-data/unguessable.ts'
import { keyword, longestPage } from '../test-data/values.ts'
import type { CheckResult } from '../verification.ts'
import { readUntil } from './next-page.ts'
import { ORDER, type Probe, requestTo } from './probe.ts'
import { creation, idOfCreated, listBeside, onCreated, type Step, storyOf } from './steps.ts'

/** The statuses that keep a record from somebody, and that a document must have for it. */
const FORBIDDEN = [403, 404] as const

const CLAUSE = { clause: 'OWASP API Security 2023, API1' }

/**
 * What the key of somebody else must not do with the records that this run created: read, list, change or remove them. Only where the
 * document has a 403 or a 404 for it: other records may be for everybody.
 */
export function otherKeyProbes(contract: Contract, texts: DocumentTexts): Probe[] {
  const owned = ownedCollections(contract, texts)
  // Who shares records with others may still be refused what a role does not allow.
  const isCommon = hasCommonRecords(texts)
  const isOwned = (one: Operation, names = collectionsOf(one)): boolean =>
    refusalsOf(one, contract)[0] === 403 ||
    (!isCommon && (owned === undefined || names.some((name) => owned.has(name))))
  const open = contract.operations.filter((one) => !isShared(one, contract, texts) && isOwned(one))
  const items = open.filter(
    (one) =>
      /^(GET|PUT|PATCH|DELETE)$/.test(one.method) &&
      isParameter(segmentsOf(one.path).at(-1) ?? '') &&
      hasWholeParameters(one) &&
      isCheckable(one, contract) &&
      refusalsOf(one, contract).length > 0,
  )
  const reads = items.filter(({ method }) => method === 'GET')
  const lists = open.filter(
    (one) => boundTo(contract, one)?.action === 'list' && isCheckable(one, contract),
  )
  // Where keys differ in what they may do, somebody else may read.
  const hasRoles = contract.operations.some((one) =>
    one.responses.some(({ status }) => status === 403),
  )
  const mayRead = (one: Operation): boolean =>
    hasRoles && ownRefusal(one, contract, texts) === undefined
  const below = open.filter(
    (one) =>
      (one.method === 'POST' || (one.method === 'GET' && !mayRead(one) && !items.includes(one))) &&
      isOwned(one, collectionsOf(one).slice(0, -1)) &&
      recordTemplate(one).length > 0 &&
      hasWholeParameters(one) &&
      isCheckable(one, contract) &&
      refusalsOf(one, contract).length > 0,
  )
  return [
    ...below.map((one) => belowProbe(one, contract, texts)),
    ...items.map((operation) => itemProbe(operation, readOf(operation, reads), contract, texts)),
    ...lists.flatMap((list) => {
      const read = reads.find((one) => isItemIn(list, one))
      return read
        ? [listProbe(list, read, contract), foreignProbe(list, read, contract, texts)]
        : []
    }),
  ]
}

/** What says that records of a kind are for the one who made them: "A private show is visible to its owner only". */
const FOR_OWNER =
  /\b(to|by|for) (the|its|their) (\w+ )?(owner|author|creator|maker|user|caller|organi[sz]er|host)s?\b[^,;.]*\bonly\b|\bonly (to |by |for )?(the|its|their) (owner|author|creator|maker|organi[sz]er|host)s?\b/i
const SEES = /\b(visible|shown|seen|sees?|listed|lists?|readable|reads?)\b/i

/** Records in a state or of a kind that the document shows to their owner only: the key of somebody else neither reads nor lists them. */
export function privateRecordProbes(
  { bindings: { create, read, list } }: BoundResource,
  texts: DocumentTexts,
): Probe[] {
  if (create?.operation.method !== 'POST' || !read || !isOnItem(create, read)) return []
  const lists = list && isOnCollection(list.operation, create.operation) ? list : undefined
  const noun = spaced(singular(collectionsOf(create.operation).at(-1) ?? ''))
  const general = sentencesOf(texts.api).filter((one) => hasWords(spaced(one), noun))
  const found = [...propertiesOf(create.resource.schema)].flatMap(([name, schema]) => {
    const own = sentencesOf(texts.property(create.operation.id, name))
    const said = [...own, ...general].filter((one) => FOR_OWNER.test(one) && SEES.test(one))
    const members = membersOf(name, schema, keyword(schema, 'enum') !== undefined || undefined)
    const hidden = members.filter((one) => mentions(said.join(' '), one))
    return hidden.length === members.length ? [] : hidden.map(([value]) => [name, value] as const)
  })
  return found.slice(0, MAX_HIDDEN).map(([name, value]) => {
    const what = `${name}=${value}`
    const isHidden = (made: ProbeResponse | undefined): made is ProbeResponse => {
      const record = made && isSuccess(made) ? valuesIn(recordIn(made, create)) : undefined
      return isObject(record) && record[name] === value
    }
    const text = `does not show another key a record with ${what}`
    const check = operationCheck(
      read.operation,
      `other-key/${what}`,
      text,
      ([made, shown]) => {
        if (!isHidden(made) || shown?.request.operation !== read.operation) return NO_RESPONSE
        return passIf(!isSuccess(shown), shown, '404 or 403')
      },
      CLAUSE,
    )
    const listed = (one: ResourceBinding): CheckDefinition =>
      operationCheck(
        one.operation,
        `other-key/${what}`,
        text,
        ([made, , shown]) => {
          if (!isHidden(made) || !shown || !isSuccess(shown)) return NO_RESPONSE
          const id = idOfCreated(made, create)
          const isShown = recordsAt(shown, one)?.some((record) => idIn(record, one) === id)
          return passIf(isShown !== true, shown, `a list without ${id}`)
        },
        CLAUSE,
      )
    const asOther =
      (step: Step): Step =>
      async (session, before) => {
        const { isValid: _, ...request } = (await step(session, before)) ?? {}
        return 'target' in request ? { ...request, credentials: 'other-key' } : undefined
      }
    const steps = [
      creation(create, (one) => withValues(one, create, { [name]: value })),
      asOther(onCreated(read, create, 0)),
      ...(lists ? [asOther(listBeside(lists, 0))] : []),
    ]
    return storyOf(ORDER.otherKey + 0.2, steps, lists ? [check, listed(lists)] : [check])
  })
}

/** The most kinds of records of which another key is shown none. */
const MAX_HIDDEN = 3

/** A collection that everybody sees is one finding: what else another key may do with its records are consequences. */
export function withSharedCollections(
  results: readonly CheckResult[],
  { operations }: Contract,
): readonly CheckResult[] {
  const failed = results.filter(({ status }) => status === 'failed')
  const operationOf = ({ operation }: CheckResult): Operation | undefined =>
    operations.find(({ id }) => id === operation)
  const lists = failed.filter(({ id }) => id.endsWith('/other-key-list'))
  return results.map((one) => {
    const operation = operationOf(one)
    const isOnItem = /\/(other-key(-kept|-filter)?|foreign)$/.test(one.id) && failed.includes(one)
    const cause = lists.find((list) => {
      const shared = operationOf(list)
      return isOnItem && shared && operation && isInOrBelow(shared, operation)
    })
    return cause ? { ...one, consequenceOf: cause.id } : one
  })
}

/** Whether an operation is on one record of the collection that a list shows. */
function isItemIn(list: Operation, one: Operation): boolean {
  return (
    isItemOf(list, one) && isSameTemplate(segmentsOf(one.path).slice(0, -1), segmentsOf(list.path))
  )
}

/** Whether an operation is on one record of the collection that a list shows, or on what is below one. */
function isInOrBelow(list: Operation, { path }: Operation): boolean {
  const [collection, segments] = [segmentsOf(list.path), segmentsOf(path)]
  const start = segments.slice(0, collection.length + 1)
  return isParameter(start.at(-1) ?? '') && isSameTemplate(start.slice(0, -1), collection)
}

/** The operation that reads the record which another one changes. */
function readOf(operation: Operation, reads: readonly Operation[]): Operation | undefined {
  if (operation.method === 'GET') return undefined
  return reads.find((one) => isSameTemplate(segmentsOf(one.path), segmentsOf(operation.path)))
}

/**
 * The documented statuses that keep a record from somebody. Where the document has a 403 for other operations on the record, a 404 only
 * says that there is none: what somebody may do depends on the operation, such as reading.
 */
function refusalsOf({ path, responses }: Operation, { operations }: Contract): readonly number[] {
  const hasRoles = operations.some(
    (one) =>
      isSameTemplate(segmentsOf(one.path), segmentsOf(path)) &&
      one.responses.some(({ status }) => status === 403),
  )
  const wanted = hasRoles ? [403] : FORBIDDEN
  return wanted.filter((one) => responses.some(({ status }) => status === one))
}

const DOES: Readonly<Record<string, string>> = {
  GET: 'read',
  PUT: 'replace',
  PATCH: 'change',
  DELETE: 'remove',
}

function itemProbe(
  operation: Operation,
  read: Operation | undefined,
  contract: Contract,
  texts: DocumentTexts,
): Probe {
  const { method } = operation
  const name = `does not let another key ${DOES[method]} a record`
  const isKept = operationCheck(
    operation,
    'other-key',
    name,
    refused(operation, contract, texts),
    CLAUSE,
  )
  const isThere = `keeps a record that another key could not ${DOES[method]}`

  return {
    order: method === 'DELETE' ? ORDER.otherKeyRemoval : ORDER.otherKey,
    maxRequests: (method === 'DELETE' ? 2 : 1) * ((read ? 3 : 2) + (operation.body ? 1 : 0)),
    requires: 'writes',
    checks: read
      ? [isKept, operationCheck(operation, 'other-key-kept', isThere, unchanged, CLAUSE)]
      : [isKept],
    send: async (session) => {
      const responses = await triedOn(await ownPath(operation, session), session)
      // What is below or beside a record may keep it, whoever removes it.
      const isHeld = method === 'DELETE' && responses[0]?.status === 409
      return isHeld ? await triedOn(await ownPath(operation, session), session) : responses
    },
  }
  async function triedOn(target: string, session: Session): Promise<readonly ProbeResponse[]> {
    const before = read ? [await session.send(requestTo(read, { target }))] : []
    const request = await requestOfOther(operation, target, session)
    const first = await session.send(request)
    const other = isInvalidInput(first) ? withoutReferences(request, contract) : undefined
    const response = other ? await session.send(other) : first
    const after = read ? [await session.send(requestTo(read, { target }))] : []
    return [response, ...before, ...after]
  }
}

/** A creation below a record that this run created, or an action on it. */
function belowProbe(operation: Operation, contract: Contract, texts: DocumentTexts): Probe {
  const isRead = operation.method === 'GET'
  const isAction = boundTo(contract, operation)?.action === 'act'
  const name = isRead
    ? 'does not show another key what is below a record'
    : 'does not let another key act on a record, or create below it'
  const moves = isAction ? movesBefore(operation, contract) : []
  return {
    order: ORDER.otherKey,
    maxRequests: (isAction ? 2 : 1) + 2 * moves.length,
    requires: 'writes',
    checks: [
      operationCheck(
        operation,
        'other-key',
        name,
        (all, records) => refused(operation, contract, texts)(all.slice(-1), records),
        CLAUSE,
      ),
    ],
    send: async (session) => {
      // The state of an older record may not allow the action, whoever asks for it.
      if (isAction) await createAt(recordTemplate(operation), operation, session)
      const request = await validRequest(operation, session, 'other-key')
      if (isRead) {
        const target = withPath(request.target, await ownPath(operation, session))
        return [await session.send({ ...request, target })]
      }
      return await actedAsOther(session, request, moves)
    },
  }
}

/** The most actions after which an action is tried that the state of its record does not allow. */
const MAX_MOVES = 2

/** Other actions on the record of an action that need no body. */
function movesBefore({ path, method }: Operation, { operations }: Contract): readonly Operation[] {
  const item = segmentsOf(path).slice(0, -1)
  return operations
    .filter((one) => one.method === method && one.path !== path && !one.body?.required)
    .filter((one) => {
      const segments = segmentsOf(one.path)
      return (
        isSameTemplate(segments.slice(0, -1), item) &&
        !isParameter(segments.at(-1) ?? '') &&
        !ENDS.test(segments.at(-1) ?? '')
      )
    })
    .slice(0, MAX_MOVES)
}

/** Actions after which a record allows hardly any other. */
export const ENDS: RegExp = /^(cancel|archive|delete|remove|void|close|reject|withdraw)/i

/** The request with the key of somebody else; in other states of its record as long as its own one does not allow it. */
async function actedAsOther(
  session: Session,
  request: ProbeRequest,
  moves: readonly Operation[],
): Promise<readonly ProbeResponse[]> {
  const responses = [await session.send(request)]
  for (const move of moves) {
    if (responses.at(-1)?.status !== 409) break
    const word = segmentsOf(move.path).at(-1) ?? ''
    const target = pathOf(request.target).replace(/[^/]*$/, word)
    const moved = await session.send({ ...requestTo(move, { target }), keepsRefusal: true })
    if (isSuccess(moved)) responses.push(await session.send(request))
  }
  return responses
}

/** A request with the key of somebody else on a record that this run created. */
async function requestOfOther(
  operation: Operation,
  target: string,
  session: Session,
): Promise<ProbeRequest> {
  if (!operation.body) return { ...requestTo(operation, { target }), credentials: 'other-key' }
  const request = await validRequest(operation, session, 'other-key')
  const binding = boundTo(session.contract, operation)
  // Names of its own, so that no conflict with another record hides what the key may do.
  return binding ? withValues(request, binding, fullValues(binding)) : request
}

/** The request without references, which may be to records that the other key does not have; `undefined` when it needs them, or has none. */
function withoutReferences(request: ProbeRequest, contract: Contract): ProbeRequest | undefined {
  const { operation, body } = request
  const binding = operation && boundTo(contract, operation)
  const schema = operation?.body && binding && schemaAt(operation.body.schema, sentPlace(binding))
  if (!binding || !schema) return undefined
  const links = linksOf({ ...binding.resource, schema }, resourcesIn(contract))
  const kept = links.reduce<ProbeRequest>((one, { property }) => {
    const without = withValues(one, binding, { [property]: undefined })
    return without.body === one.body ? withValues(one, binding, { [property]: null }) : without
  }, request)
  return kept.body === body ? undefined : kept
}

/** The first response is a documented refusal. One with another error says nothing about the key. */
function refused(operation: Operation, contract: Contract, texts: DocumentTexts): Evaluate {
  // Who lacks a role is refused whosever the record is.
  const isForRole = roleOf(operation, texts) !== undefined
  const stated = isForRole
    ? undefined
    : (ownRefusal(operation, contract, texts) ?? statedRefusal(operation, texts))
  const wanted = stated === undefined ? refusalsOf(operation, contract) : [stated]
  const isHidden = wanted.every((one) => one === 404) && hidesOthers(operation, texts)
  // A service may tell somebody else that a key lacks a right, or hide that there is a record.
  const isExact = isHidden || stated !== undefined
  const possible = isExact ? wanted : [...wanted, 401, 403, 404]
  return ([response]) => {
    if (!response) return NO_RESPONSE
    const { status } = response
    const isRefusal = possible.includes(status)
    const isOther = stated === undefined ? !isUnauthorized(response) : ![403, 404].includes(status)
    if (!isRefusal && !isSuccess(response) && isOther) return OTHER_ERROR
    return passIf(isRefusal, response, wanted.join(' or '))
  }
}

export const OTHER_ERROR: LeftOut = {
  leftOut: 'the request of the other key failed for another reason',
}

/** The record is the same before and after the refused request. */
const unchanged: Evaluate = ([refusal, before, after]) => {
  if (!(refusal && before && after) || isSuccess(refusal) || !isSuccess(before)) return NO_RESPONSE
  return passIf(isSuccess(after) && after.text === before.text, after, 'the same record as before')
}

function listProbe(list: Operation, read: Operation, contract: Contract): Probe {
  const item = boundTo(contract, read)
  const binding = boundTo(contract, list)
  const evaluate = (isFiltered: boolean): Evaluate => {
    return ([own, ...pages]) => {
      const isOf = (page: ProbeResponse): boolean =>
        filters.some(({ name }) => hasParameter(page, name)) === isFiltered
      const shown = own && isSuccess(own) ? pages.filter((one) => isOf(one) && isSuccess(one)) : []
      const last = shown.at(-1)
      if (!(own && last)) return NO_RESPONSE
      const id = lastOf(pathOf(own.request.target))
      const open = shown.find((one) => lists(one, own, item))
      return passIf(!open, open ?? last, `a list without ${id}`)
    }
  }
  const filters = binding ? filtersOf(binding) : []
  const names = {
    all: 'does not list the records of another key',
    found: 'does not find the records of another key by a filter',
  }
  return {
    order: ORDER.otherKey,
    maxRequests: 3 + filters.length,
    requires: 'writes',
    checks: [
      operationCheck(list, 'other-key-list', names.all, evaluate(false), CLAUSE),
      ...(filters.length === 0
        ? []
        : [operationCheck(list, 'other-key-filter', names.found, evaluate(true), CLAUSE)]),
    ],
    send: async (session) => {
      const path = pathOf(await ownPath(read, session))
      const own = await session.send(requestTo(read, { target: path }))
      const above = path.slice(0, path.lastIndexOf('/'))
      const start = above + (list.path.endsWith('/') ? '/' : '')
      const size = longestPage(list)
      const asked = (query: readonly TextPair[]): ProbeRequest => {
        const target = withQuery(start, () => false, query)
        return { ...requestTo(list, { target }), credentials: 'other-key' }
      }
      const request = asked(size)
      const pages = binding
        ? await readUntil(session, request, binding, (page) => lists(page, own, item))
        : [await session.send(request)]
      const record = item && valuesIn(recordIn(own, item))
      const found: ProbeResponse[] = []
      for (const filter of filters) {
        const value = filter.valueIn(record)
        if (value === undefined) continue
        found.push(await session.send(asked([...size, [filter.name, String(value)]])))
      }
      return [own, ...pages, ...found]
    },
  }
}

/** So many filters are tried with the values of a record of another key. */
const MAX_FILTERS = 5

/** A filter of a list, and the value that a record has for it. */
interface ListFilter {
  readonly name: string
  readonly valueIn: (record: unknown) => string | number | boolean | undefined
  readonly isSearch: boolean
}

function hasParameter({ url }: ProbeResponse, name: string): boolean {
  return new URL(url).searchParams.has(name)
}

/** The filters of a list by single properties, and its searches for words. */
function filtersOf({ operation, hints }: ResourceBinding): readonly ListFilter[] {
  const found = Object.entries(hints.filters ?? {}).flatMap(([name, filter]) => {
    const parameter = operation.parameters.find((one) => one.in === 'query' && one.name === name)
    const isSearch = typeof filter === 'object' && filter.is === 'contains' && !filter.ignored
    if (!parameter || !(isSearch || typeof filter === 'string')) return []
    const valueIn: ListFilter['valueIn'] = (record) => {
      if (!isObject(record)) return undefined
      const value = typeof filter === 'string' ? record[filter] : wordIn(record, filter.property)
      const isPlain = isId(value) || typeof value === 'boolean'
      return isPlain && parameter.validate(value) ? value : undefined
    }
    return [{ name, valueIn, isSearch }]
  })
  // Services forget whose records they search.
  return found
    .toSorted((one, other) => Number(other.isSearch) - Number(one.isSearch))
    .slice(0, MAX_FILTERS)
}

/** A word in a text of a record that only the run has sent; else the whole text that is searched. */
function wordIn(record: JsonObject, property: unknown): unknown {
  const [name] = [property].flat()
  const searched = typeof name === 'string' ? record[name] : undefined
  if (typeof searched === 'string') return wordsOf(searched)[0] ?? searched
  return wordsOf(JSON.stringify(record))[0]
}

/** With the own key, a record that only another key lists is not read. */
function foreignProbe(
  list: Operation,
  read: Operation,
  contract: Contract,
  texts: DocumentTexts,
): Probe {
  const name = 'does not show a record that only another key lists'
  const binding = boundTo(contract, list)
  return {
    order: ORDER.otherKey,
    maxRequests: 3,
    requires: 'writes',
    checks: [
      operationCheck(
        read,
        'foreign',
        name,
        ([, , response], records) =>
          response ? refused(read, contract, texts)([response], records) : NO_FOREIGN,
        CLAUSE,
      ),
    ],
    send: async (session) => {
      if (!binding || recordTemplate(list).length > 0) return []
      const target = withQuery(list.path, () => false, longestPage(list))
      const other = await session.send({ ...requestTo(list, { target }), credentials: 'other-key' })
      const own = await session.send(requestTo(list, { target }))
      const isKnown = isSuccess(own) && isSuccess(other) && isWhole(own, binding)
      const ids = [other, own].map((page) =>
        (recordsAt(page, binding) ?? []).flatMap((one) => idIn(one, binding) ?? []),
      )
      const [others = [], owns = []] = ids
      const foreign = isKnown ? others.find((id) => !owns.includes(id)) : undefined
      if (foreign === undefined) return [other, own]
      const path = `${list.path.replace(/\/$/, '')}/${encodeURIComponent(foreign)}`
      return [other, own, await session.send(requestTo(read, { target: path }))]
    },
  }
}

const NO_FOREIGN: LeftOut = { leftOut: 'no record is listed with the other key only' }

/** Whether a list shows a record of another key. Keys may have records of their own with the same id, which have other values. */
function lists(
  page: ProbeResponse,
  own: ProbeResponse,
  read: ResourceBinding | undefined,
): boolean {
  const id = lastOf(pathOf(own.request.target))
  const record = read && valuesIn(recordIn(own, read))
  return listedIn(page.json).some(
    (one) =>
      Object.values(one).map(String).includes(id) && !(isObject(record) && differs(one, record)),
  )
}

/** Properties that change while a record stays the same. */
const MOVING = /(at|on|date|time|version|etag|count)$/i

/** Whether a listed record and another one have another text or number under the same name. */
function differs(listed: JsonObject, record: JsonObject): boolean {
  return Object.entries(listed).some(([name, value]) => {
    const other = record[name]
    const areScalar = [value, other].every((one) => /^(string|number)$/.test(typeof one))
    return areScalar && !MOVING.test(name) && String(value) !== String(other)
  })
}
