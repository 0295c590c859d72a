import type { Contract, Operation, Schema } from '../../contract/contract.ts'
import { parseJsonText } from '../../contract/json.ts'
import { itemsOf, parsePointer, propertiesOf, schemaAt } from '../../contract/schema.ts'
import { surelyMatches } from '../../generate/matches.ts'
import { normalizeName } from '../../generate/words.ts'
import { resourcesIn } from '../../resources/bind.ts'
import { linksOf, possibleLinksOf } from '../../resources/record-links.ts'
import { referenceName } from '../../resources/reference-names.ts'
import type { Resource } from '../../resources/resource.ts'
import { asType } from '../../responses/documented-value.ts'
import { isObject, once } from '../../validation/objects.ts'
import {
  isSafeMethod,
  isSuccess,
  NotSent,
  type ProbeRequest,
  type ProbeResponse,
  withBody,
} from '../messages.ts'
import {
  boundTo,
  concretePath,
  isAtOrBelow,
  isId,
  isSameTemplate,
  lastOf,
  pathOf,
  plainName,
  type RecordPath,
  recordTemplate,
  segmentsOf,
  valueAt,
} from '../record-address.ts'
import { isInvalidInput } from './accepted-bodies.ts'
import type { ChangeGate } from './change-gate.ts'
import {
  KEY,
  linksByKey,
  linksByLastWords,
  linksByText,
  nameOf,
  without,
} from './property-links.ts'
import type { CreateRecord } from './record-states.ts'
import { Referred } from './referred-records.ts'
import type { SeenIds } from './seen-records.ts'

/** A property of a record that has the id of a record of another collection. */
interface Reference {
  /** The names that lead to it from the record; those of lists stand for each of their items. */
  readonly path: readonly string[]
  readonly schema: Schema
  /** The path template of the records that it refers to. */
  readonly template: readonly string[]
  /** Whether it may contain a name as well, so that only a refusal shows that it has an id. */
  readonly isPossible: boolean
  /** The property with the ids of records that no operation changes: any of these can be named. Absent where the run creates them. */
  readonly listedId?: string
}

/** The records that responses showed, and how more of them are read. */
interface Reading {
  readonly seen: Pick<SeenIds, 'recordAt' | 'recordsOf'>
  readonly send: (request: ProbeRequest) => Promise<unknown>
}

/** Integers that JavaScript would write with other digits. They are sent as they are, and are no references. */
const LARGE = /(?<=[:[,]\s*)-?\d{16,}(?=\s*[,\]}])/g
const MARK = '\u0001'
const MARKED = /"\\u0001(-?\d+)"/g

/**
 * The records that others refer to, such as the book of a loan. A service may refuse a reference to no record, and it may change the
 * record that a reference names, so that bodies name records of the run, as far as the document has a way to create them.
 */
export class References {
  readonly #contract: Contract
  readonly #gate: ChangeGate
  readonly #create: CreateRecord
  readonly #seen: Reading['seen']
  readonly #send: Reading['send']
  /** The lists that were read. */
  readonly #read = new Set<string>()
  /** The templates of the records that are just being created, because records may refer to each other. */
  readonly #open = new Set<string>()
  readonly #failed = new Set<string>()
  /** The records to which the request refers for which one is just being created: that one refers to them, too. */
  #near: readonly RecordPath[] = []
  /** The templates of records that cannot be made to refer to the same ones as the requests that name them. */
  readonly #isApart = new Set<string>()
  /** What is sent instead of texts with the names of records, by operation. */
  readonly #forms = new Map<Operation, Form>()
  /** The operations that were sent each form instead of texts once. */
  readonly #tried = new Set<Operation>()
  /** The records to which the new ones of a collection refer, by the path of the collection. */
  readonly #taken = new Map<string, Set<string>>()
  /** The creations that take each record once only in a collection. */
  readonly #isOnce = new Map<Operation, 'below a record' | 'everywhere'>()
  /** How often references to others did not help a creation. */
  readonly #useless = new Map<Operation, number>()
  /** The paths of listed records that are not named again, because their state did not allow it. */
  readonly #spent = new Set<string>()
  /** How often operations got other records, because the state of the first ones did not allow what they do. */
  readonly #renewed = new Map<Operation, number>()

  readonly #textOf: (operation: Operation, property: string) => string

  /** `textOf`: what the document says of a property in words. */
  constructor(
    contract: Contract,
    gate: ChangeGate,
    create: CreateRecord,
    { seen, send }: Reading,
    textOf: (operation: Operation, property: string) => string,
  ) {
    this.#textOf = textOf
    this.#contract = contract
    this.#gate = gate
    this.#create = create
    this.#seen = seen
    this.#send = send
  }

  /**
   * Sends a request that a service refused again, with ids of records of the run where it had texts with the names of records, such as
   * `customer`, and then with their keys, such as the `code` of `discount_code`. If the service accepts one, all requests to the operation
   * have it there.
   */
  async retry(
    refused: ProbeResponse,
    wanted: ProbeRequest,
    send: (request: ProbeRequest) => Promise<ProbeResponse>,
  ): Promise<ProbeResponse> {
    const { operation, body, sample, credentials } = wanted
    const isMade = body !== undefined && body === sample && credentials === 'key'
    if (!operation || !isMade || this.#tried.has(operation)) return refused
    this.#tried.add(operation)
    const possible = this.#referencesOf(operation).filter(({ isPossible }) => isPossible)
    if (possible.length === 0) return refused
    const isAbout = ({ text }: ProbeResponse): boolean =>
      possible.some(({ path }) => plainName(text).includes(plainName(path.at(-1) ?? '')))
    for (const form of FORMS) {
      this.#forms.set(operation, form)
      const response = await send(wanted)
      // A conflict is not about what the texts are, and neither is a refusal that no longer names them.
      const isOther = isInvalidInput(response) && isAbout(refused) && !isAbout(response)
      if (isSuccess(response) || response.status === 409 || isOther) return response
      this.#forms.delete(operation)
    }
    return refused
  }

  /** Notes to which records a new one refers. */
  note(response: ProbeResponse): void {
    const { operation, target, credentials } = response.request
    // Others have helped, so that they may help again.
    if (operation && isSuccess(response)) this.#renewed.delete(operation)
    const isNew = operation !== undefined && this.#gate.creations.has(operation)
    if (!isNew || !isSuccess(response) || credentials !== 'key') return
    const key = collectionOf(operation, target)
    const taken = this.#taken.get(key) ?? new Set()
    for (const one of this.namedBy(response.request)) taken.add(one.join('/'))
    this.#taken.set(key, taken)
  }

  /**
   * Sends a new record that a service refused with a 409 again, with references to other records than the earlier ones of its collection: an
   * order may have each product in one line only. If the service accepts them, all later ones have others, too. Returns the last response.
   */
  async withOthers(
    refused: ProbeResponse,
    send: (request: ProbeRequest) => Promise<ProbeResponse>,
  ): Promise<ProbeResponse> {
    const { request } = refused
    const { operation, target } = request
    const times = operation ? (this.#useless.get(operation) ?? 0) : MAX_RENEWALS
    const isKept = request.keepsReferences || times >= MAX_RENEWALS
    if (!operation || this.#isOnce.has(operation) || isKept) return refused
    const taken = this.#taken.get(collectionOf(operation, target))
    const named = this.namedBy(request)
    const isTaken = named.length > 0 && named.every((one) => taken?.has(one.join('/')))
    if (!this.#gate.creations.has(operation) || !isTaken) return refused
    this.#isOnce.set(operation, 'below a record')
    const response = await send(request)
    if (response.status !== 409) return response
    this.#isOnce.delete(operation)
    this.#useless.set(operation, times + 1)
    return response
  }

  /** From now on, no two records that an operation creates refer to the same ones: they are in the way of each other. */
  keepApart(operation: Operation): void {
    this.#isOnce.set(operation, 'everywhere')
  }

  /** The records to which a request must not refer, because each is in one record of its collection only. */
  #takenBefore({ operation, target, isRepeated }: ProbeRequest): ReadonlySet<string> | undefined {
    if (!operation || isRepeated || !this.#isOnce.has(operation)) return undefined
    if (this.#isOnce.get(operation) === 'below a record')
      return this.#taken.get(collectionOf(operation, target))
    const all = [...this.#taken].filter(([key]) => key.startsWith(collectionOf(operation, '')))
    return new Set(all.flatMap(([, taken]) => [...taken]))
  }

  /** The records of the run that the references of a request name. */
  namedBy({ operation, body = '' }: ProbeRequest): readonly RecordPath[] {
    if (!operation) return []
    const place = boundTo(this.#contract, operation)?.hints.body ?? ''
    const record = valueAt(parseJsonText(body), place)
    return this.#referencesOf(operation).flatMap((reference) =>
      placesOf(record, reference.path).flatMap((keys) => {
        const own = this.#ownAt(reference, operation, valueIn(record, keys))
        return own ? [own] : []
      }),
    )
  }

  /** The records to which the record above that of a request refers, such as the customer of an order: its prints are of films of that one. */
  #namedAbove(operation: Operation, target: string): readonly RecordPath[] {
    const template = recordTemplate(operation)
    const above = concretePath(operation, target)?.slice(0, template.length + 1) ?? []
    return this.#linkedFrom(template, above)
  }

  /** The records to which one refers. */
  #linkedFrom(
    template: readonly string[],
    [base = '', ...path]: readonly string[],
  ): readonly RecordPath[] {
    const resources = resourcesIn(this.#contract)
    const resource = resourceAt(template, resources)
    const record = resource && this.#seen.recordAt(`/${path.join('/')}`)
    if (!record) return []
    const certain = linksOf(resource, resources)
    const links = [...certain, ...without(linksByLastWords(resource, resources), certain)]
    return links.flatMap(({ property, to }) => {
      const id = record[property]
      return isId(id) && !to.path.includes('{')
        ? [[base, ...segmentsOf(to.path), encodeURIComponent(id)]]
        : []
    })
  }

  /** The request with references to records of the run. Invalid values stay as they are. */
  async inRequest(request: ProbeRequest): Promise<ProbeRequest> {
    const { operation, method, body: text = '' } = request
    if (!operation?.body || operation.method !== method) return request
    const place = boundTo(this.#contract, operation)?.hints.body ?? ''
    const sent = parseJsonText(text.replace(LARGE, (digits) => JSON.stringify(MARK + digits)))
    const above = this.#namedAbove(operation, request.target)
    const referred = new Referred(
      { ...request, operation, near: above, taken: this.#takenBefore(request) },
      (template, path) => this.#linkedFrom(template, path),
    )
    let body = sent
    const hasForm = this.#forms.has(operation)
    const references = this.#referencesOf(operation).filter((one) => hasForm || !one.isPossible)
    for (const reference of references) {
      const record = valueAt(body, place)
      if (!isObject(record)) return request
      if (isDestination(reference)) referred.leave()
      for (const keys of placesOf(record, reference.path)) {
        const value = await this.#valueFor(reference, valueIn(record, keys), operation, referred)
        if (value !== undefined) body = replaced(body, [...parsePointer(place), ...keys], value)
      }
    }
    if (body === sent) return request
    return withBody(request, JSON.stringify(body).replace(MARKED, '$1'))
  }

  /**
   * Notes that a service refused a new record because of the state of those that it refers to. From then on, the operation gets others.
   * Returns whether it has any.
   */
  renew(request: ProbeRequest): boolean {
    const { operation } = request
    const times = operation ? (this.#renewed.get(operation) ?? 0) : MAX_RENEWALS
    if (!operation || times >= MAX_RENEWALS) return false
    this.#renewed.set(operation, times + 1)
    const named = this.namedBy(request)
    for (const one of named) {
      this.#gate.own.close(one)
      this.#spent.add(one.join('/'))
    }
    return named.length > 0
  }

  async #valueFor(
    reference: Reference,
    sent: unknown,
    operation: Operation,
    referred: Referred,
  ): Promise<unknown> {
    const { schema, template } = reference
    const ids = [sent].flat()
    if (ids.length === 0 || !surelyMatches(schema, sent)) return undefined
    if (ids.some((id) => id === null || id === undefined || isObject(id))) return undefined
    const own = ids.map((id) => this.#ownAt(reference, operation, id))
    const isRight = (one: RecordPath | undefined): boolean =>
      one !== undefined &&
      referred.fits(template, one) &&
      (referred.isMeant || this.#belongs(template, operation, referred)(one))
    if (own.every(isRight)) {
      for (const one of own) if (one) referred.add(template, one)
      return undefined
    }
    if (reference.listedId !== undefined) await this.#readList(template)
    const record =
      reference.listedId === undefined
        ? await this.#recordAt(template, operation, referred)
        : this.#listed(reference, operation).find(
            (one) => referred.fits(template, one) && !this.#spent.has(one.join('/')),
          )
    if (!record) return undefined
    referred.add(template, record)
    const id = this.#nameOf(record, reference, operation)
    const value = Array.isArray(sent) ? [asType(id, schema.items ?? {})] : asType(id, schema)
    return surelyMatches(schema, value) ? value : undefined
  }

  /** What a property has of a record: its id, or its key, which has the last word of the property as its name. */
  #nameOf(record: RecordPath, { path, isPossible }: Reference, operation: Operation): unknown {
    const id = lastOf(record.join('/'))
    if (!isPossible || this.#forms.get(operation) !== 'key') return id
    const words = normalizeName(path.at(-1) ?? '').split('_')
    const shown = this.#seen.recordAt(`/${record.slice(1).join('/')}`) ?? {}
    const names = Object.keys(shown).filter((name) => isId(shown[name]))
    const key = names.find((name) => words.length > 1 && normalizeName(name) === words.at(-1))
    return shown[key ?? names.find((name) => KEY.test(name)) ?? ''] ?? id
  }

  /** The record of the run that a value names, or the listed one that no operation changes. */
  #ownAt(reference: Reference, operation: Operation, value: unknown): RecordPath | undefined {
    const [base = ''] = operation.basePaths ?? []
    const isNamed = (path: RecordPath): boolean =>
      String(this.#nameOf(path, reference, operation)) === String(value)
    if (reference.listedId !== undefined)
      return this.#listed(reference, operation).find(
        (path) => isNamed(path) && !this.#spent.has(path.join('/')),
      )
    return this.#gate.own.findOpen([base, ...reference.template], isNamed)
  }

  /** Reads the list of a collection once, if no response has shown it yet. */
  async #readList(template: readonly string[]): Promise<void> {
    const collection = template.slice(0, -1)
    const target = `/${collection.join('/')}`
    const operation = this.#contract.operations.find(
      ({ method, path }) => method === 'GET' && isSameTemplate(segmentsOf(path), collection),
    )
    if (!operation || this.#read.has(target) || this.#seen.recordsOf(target).length > 0) return
    this.#read.add(target)
    const request = { operation, method: 'GET', target, credentials: 'key' } as const
    // A list that the user excludes shows nothing.
    await this.#send(request).catch((error: unknown) => {
      if (!(error instanceof NotSent)) throw error
    })
  }

  /** The listed records that a property may name. */
  #listed({ template, listedId = '' }: Reference, operation: Operation): readonly RecordPath[] {
    const [base = ''] = operation.basePaths ?? []
    const collection = template.slice(0, -1)
    return this.#seen.recordsOf(`/${collection.join('/')}`).flatMap((record) => {
      const id = record[listedId]
      return isId(id) ? [[base, ...collection, encodeURIComponent(id)]] : []
    })
  }

  /**
   * Whether a collection is there to be read only, so that nothing that names one of its records changes them. Nobody is named: people
   * may be told what was assigned to them.
   */
  readonly #isReadOnly = once((to: Resource): boolean => {
    const collection = segmentsOf(to.path)
    const isIn = ({ path }: Operation): boolean =>
      isSameTemplate(segmentsOf(path).slice(0, collection.length), collection)
    const own = this.#contract.operations.filter(isIn)
    return (
      !(to.path.includes('{') || PEOPLE.test(nameOf(to))) &&
      own.some(({ path }) => segmentsOf(path).length === collection.length) &&
      own.every(({ method }) => isSafeMethod(method))
    )
  })

  /** Whether a record refers to the same ones as a request, unless no new ones do. */
  #belongs(
    template: readonly string[],
    operation: Operation,
    referred: Referred,
  ): (path: RecordPath) => boolean {
    const isApart = this.#isApart.has(this.#keyOf(template, operation, referred))
    return (path) => isApart || referred.belongs(template, path)
  }

  #keyOf(template: readonly string[], operation: Operation, referred: Referred): string {
    const [base = ''] = operation.basePaths ?? []
    return [base, ...template, ...(referred.above(template) ?? [])].join('/')
  }

  /** A record that nothing else changes or removes, so that the references to it stay valid. */
  async #recordAt(
    template: readonly string[],
    operation: Operation,
    referred: Referred,
  ): Promise<RecordPath | undefined> {
    const [base = ''] = operation.basePaths ?? []
    const { own } = this.#gate
    const above = referred.above(template)
    const key = this.#keyOf(template, operation, referred)
    const known = (fits: (path: RecordPath) => boolean): RecordPath | undefined =>
      own.findOpen([base, ...template], (path) => own.isKept(path) && fits(path))
    const isNear = (path: RecordPath): boolean =>
      this.#near.some((one) => one.join('/') === path.join('/'))
    const fitting = (path: RecordPath): boolean => referred.fits(template, path)
    const belongs = this.#belongs(template, operation, referred)
    const kept =
      known((path) => fitting(path) && isNear(path)) ??
      known((path) => fitting(path) && belongs(path))
    const any = kept ?? known((path) => !above || isAtOrBelow(path, above))
    if (kept || this.#open.has(key) || this.#failed.has(key)) return any
    const near = this.#near
    this.#open.add(key)
    this.#near = referred.paths
    try {
      const record = await this.#create(template, operation, { above, isReferred: true })
      own.keep(record)
      if (!referred.belongs(template, record)) this.#isApart.add(key)
      return record
    } catch (error) {
      if (!(error instanceof NotSent)) throw error
      this.#failed.add(key)
      return any
    } finally {
      this.#near = near
      this.#open.delete(key)
    }
  }

  readonly #referencesOf = once((operation: Operation): readonly Reference[] => {
    const binding = boundTo(this.#contract, operation)
    if (!binding || !operation.body) return []
    const schema = schemaAt(operation.body.schema, binding.hints.body ?? '') ?? {}
    const found = this.#referencesIn({ ...binding.resource, schema }, operation, [])
    const resources = resourcesIn(this.#contract)
    const users = (one: Reference): number =>
      found.filter((other) => refersTo(other, one, resources)).length
    // What is above others comes first, then that to which others refer, and where something is moved to comes last.
    const place = (one: Reference): number =>
      isDestination(one) ? 1000 : one.template.length - users(one) / 100
    return [...found].sort((one, other) => place(one) - place(other))
  })

  /** The references of a record, and those of the objects in it, such as the product of each line of an order. */
  #referencesIn(
    sent: Resource,
    operation: Operation,
    path: readonly string[],
  ): readonly Reference[] {
    const properties = propertiesOf(sent.schema)
    const resources = resourcesIn(this.#contract)
    const certain = linksOf(sent, resources)
    const byLastWords = without(linksByLastWords(sent, resources), certain)
    const described = linksByText(sent, resources, (name) => this.#textOf(operation, name))
    const others = [...byLastWords, ...without(described, [...certain, ...byLastWords])]
    const sure = new Set([...certain, ...others].map(({ property }) => property))
    const possible = without(possibleLinksOf(sent, resources), others)
    const keys = without(linksByKey(sent, resources), [...possible, ...others])
    const own = [...possible, ...keys, ...others].flatMap(({ property, to }) => {
      const template = [...segmentsOf(to.path), `{${to.id}}`]
      const isCreated = this.#gate.creations.at(template, operation) !== undefined
      if (to.path === sent.path || !(isCreated || this.#isReadOnly(to))) return []
      const schema = properties.get(property) ?? {}
      const reference = { path: [...path, property], schema, template }
      const isPossible = !sure.has(property)
      return [{ ...reference, isPossible, ...(!isCreated && { listedId: to.id }) }]
    })
    if (path.length >= MAX_DEPTH) return own
    const inner = [...properties].flatMap(([name, property]) => {
      const schema = itemsOf(property) ?? property
      if (propertiesOf(schema).size === 0) return []
      return this.#referencesIn({ ...sent, schema }, operation, [...path, name])
    })
    return [...own, ...inner]
  }
}

/** A name of the collection in which a request creates a record. */
function collectionOf({ id }: Operation, target: string): string {
  return `${id} ${pathOf(target)}`
}

/** Whether the records of one reference refer to those of another one: vans to depots. */
function refersTo(one: Reference, other: Reference, resources: readonly Resource[]): boolean {
  const resource = resourceAt(one.template, resources)
  const links = resource
    ? [...linksOf(resource, resources), ...linksByLastWords(resource, resources)]
    : []
  return links.some(({ to }) => isSameTemplate(segmentsOf(to.path), other.template.slice(0, -1)))
}

function resourceAt(
  template: readonly string[],
  resources: readonly Resource[],
): Resource | undefined {
  return resources.find((one) => isSameTemplate([...segmentsOf(one.path), `{${one.id}}`], template))
}

/** Whether a property has the id of a record to which something is moved, such as `toBedId`: it is in another one before. */
function isDestination({ path }: Reference): boolean {
  return /^(to|target|new|destination|dest)_./.test(referenceName(path.at(-1) ?? '').of)
}

/** What people, and groups of them, are called. */
const PEOPLE =
  /(^|_)(user|member|account|customer|contact|person|people|employee|owner|agent|author|assignee|team|group|organi[sz]ation|company|client|subscriber)$/

/** What a text with the name of a record may have of it. */
type Form = 'id' | 'key'
const FORMS: readonly Form[] = ['id', 'key']

/** So often an operation gets other records to refer to. */
const MAX_RENEWALS = 3

/** How deep objects in a record are searched for references. */
const MAX_DEPTH = 2

/** The places in a record to which names lead: one for each item of a list on the way. */
function placesOf(record: unknown, [name, ...rest]: readonly string[]): readonly string[][] {
  if (name === undefined) return [[]]
  const value = isObject(record) ? record[name] : undefined
  if (value === undefined) return []
  if (rest.length === 0) return [[name]]
  const inner = Array.isArray(value)
    ? value.flatMap((one, at) => placesOf(one, rest).map((keys) => [String(at), ...keys]))
    : placesOf(value, rest)
  return inner.map((keys) => [name, ...keys])
}

function valueIn(record: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)]
    return isObject(value) ? value[key] : undefined
  }, record)
}

/** A copy of a body with another value at a place, which may be in the items of a list. */
function replaced(body: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value
  if (Array.isArray(body))
    return body.map((one, at) => (String(at) === key ? replaced(one, rest, value) : one))
  return isObject(body) ? { ...body, [key]: replaced(body[key], rest, value) } : body
}
