import type { JsonObject } from '../../document/json-value.ts'
import { isObject } from '../../validation/objects.ts'

/** What a service does wrong, and in which collection; in all, when none is named. */
export interface Fault {
  readonly kind: string
  readonly at?: string
}

/** A property of the records that clients send. */
export interface Field {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'texts'
  readonly isRequired?: true
  readonly least?: number
  readonly most?: number
  readonly pattern?: RegExp
  readonly members?: readonly string[]
  readonly preset?: unknown
}

/** A collection of a service, at the path of its records without their ids. */
export interface CollectionOfService {
  readonly name: string
  /** The words of its path; the ids of the records above are between them. */
  readonly words: readonly string[]
  readonly id: string
  readonly ids: 'integer' | 'text' | 'uuid' | 'client'
  readonly fields: Readonly<Record<string, Field>>
  readonly methods: readonly string[]
  readonly filters?: readonly string[]
  readonly sorts?: readonly string[]
  readonly unique?: string
  /** The actions on a record: what they set, and whether they are refused when it is set already. */
  readonly actions?: Readonly<Record<string, { readonly set: JsonObject; readonly once?: true }>>
  /** What the service sets in a new record. */
  readonly made?: () => JsonObject
}

/** How a service speaks. */
export interface ServiceStyle {
  readonly base: string
  readonly collections: readonly CollectionOfService[]
  /** The user whose key a request has; `undefined` for no or a wrong key, `'anything'` for one that looks like a key. */
  readonly userOf: (request: Request) => string | undefined
  /** Whether a request has a key of the right form. */
  readonly hasKey: (request: Request) => boolean
  /** Whether each user sees only what it created. */
  readonly hasOwners: boolean
  /** The status for what belongs to somebody else. */
  readonly foreign: 403 | 404
  readonly invalid: 400 | 422
  readonly size: { readonly name: string; readonly preset: number; readonly most: number }
  readonly paging: 'offset' | 'cursor' | 'page'
  readonly sort?: { readonly by: string; readonly direction?: string }
  readonly isEnveloped: boolean
  readonly error: (status: number, message: string) => unknown
}

/** A record with its place and its owner. */
export interface KeptRecord {
  readonly collection: CollectionOfService
  readonly owner: string
  /** The ids of the records above. */
  readonly parents: readonly string[]
  value: JsonObject
  isHidden?: true
}

/** A record that a request names. */
interface OneRecord {
  readonly collection: CollectionOfService
  readonly parents: readonly string[]
  readonly id: string
  readonly user: string
}

interface Page {
  readonly records: readonly KeptRecord[]
  readonly all: readonly KeptRecord[]
  readonly offset: number
  readonly size: number
}

/** How a response shows a value wrongly; `undefined` for not at all. */
const WRONG: Readonly<Record<string, (value: unknown) => unknown>> = {
  'not at all': () => undefined,
  'as text': String,
  'as number': () => 12,
  'in capitals': (value) => String(value).toUpperCase(),
  wrongly: () => 'yesterday',
}

/** Thrown to answer with an error. */
class Refusal {
  readonly status: number
  readonly message: string
  /** The methods that the path has, of a 405. */
  readonly allowed: readonly string[]

  constructor(status: number, message: string, allowed: readonly string[] = []) {
    this.status = status
    this.message = message
    this.allowed = allowed
  }
}

/** A service with a fault, or with none. It shares no code with the engine. */
export class RecordService {
  readonly #style: ServiceStyle
  readonly #fault: Fault
  records: KeptRecord[] = []
  #count = 0

  constructor(style: ServiceStyle, fault: Fault = { kind: 'none' }) {
    this.#style = style
    this.#fault = fault
  }

  /** Adds a record as the service starts with it. */
  add(name: string, owner: string, parents: readonly string[], given: JsonObject): KeptRecord {
    const collection = this.#style.collections.find((one) => one.name === name)
    if (!collection) throw new Error(`There is no collection ${name}.`)
    const { id, made, fields } = collection
    const presets = Object.entries(fields).flatMap(([key, { preset }]) =>
      preset === undefined ? [] : [[key, preset] as const],
    )
    const own = { [id]: given[id] ?? this.#newId(collection) }
    const value = { ...own, ...Object.fromEntries(presets), ...given, ...made?.() }
    const record = { collection, owner, parents, value }
    this.records.push(record)
    return record
  }

  async fetch(request: Request): Promise<Response> {
    try {
      return await this.#answer(request)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return this.#refuse(error)
    }
  }

  #has(kind: string, { name }: Pick<CollectionOfService, 'name'> = { name: '' }): boolean {
    const { kind: own, at = name } = this.#fault
    return own === kind && at === name
  }

  #refuse({ status, message, allowed }: Refusal): Response {
    const isEmpty = this.#has('errors without a body')
    const body = this.#has('errors of another form')
      ? { oops: message }
      : this.#style.error(status, message)
    const response = isEmpty ? new Response('', { status }) : json(body, status)
    if (status === 405) response.headers.set('Allow', allowed.join(', '))
    return response
  }

  async #answer(request: Request): Promise<Response> {
    const { base, collections } = this.#style
    const { pathname, searchParams } = new URL(request.url)
    const path = pathname.slice(new URL(base).pathname.replace(/\/$/, '').length + 1).split('/')
    const { method } = request
    for (const collection of collections) {
      const found = placeIn(collection, path.map(decodeURIComponent))
      if (!found || (found.action !== undefined && !collection.actions?.[found.action])) continue
      const known = found.action === undefined ? methodsAt(collection, found.id) : ['POST']
      if (!known.includes(method)) throw new Refusal(405, 'Method not allowed.', known)
      const user = this.#user(request, collection)
      const { id, action } = found
      const parents = this.#parentsOf(collection, found.parents)
      this.#requireParents(collection, parents, user, method)
      if (id === undefined && method === 'GET')
        return this.#list(collection, parents, user, searchParams)
      const text = await request.text()
      if (id === undefined) return this.#create(collection, parents, user, text)
      return this.#answerOne({ collection, parents, id, user }, action ?? method, text)
    }
    throw new Refusal(404, 'There is nothing here.')
  }

  #answerOne(one: OneRecord, what: string, text: string): Response {
    const { collection, parents, id, user } = one
    const find = (how: string): KeptRecord => this.#find(collection, parents, id, user, how)
    if (what === 'GET') return this.#read(find('read'))
    if (what === 'DELETE') return this.#remove(collection, parents, id, user)
    if (/^(PUT|PATCH)$/.test(what)) return this.#change(one, what, text)

    return this.#act(collection, find('act'), what)
  }

  #user(request: Request, collection: CollectionOfService): string {
    const { userOf, hasKey } = this.#style
    const user = userOf(request)
    if (user !== undefined) return user
    const { method } = request
    const isOpen =
      this.#has('needs no key', collection) ||
      (this.#has('any key will do', collection) && hasKey(request)) ||
      (this.#has('removes without a key', collection) && method === 'DELETE') ||
      (this.#has('creates with any key', collection) && method === 'POST' && hasKey(request)) ||
      (this.#has('any scheme will do') && request.headers.has('Authorization'))
    if (isOpen) return 'alice'
    throw new Refusal(this.#has('403 without a key') ? 403 : 401, 'The key is missing or wrong.')
  }

  /** The ids of the records above others: those of the path, or by mistake those of the last one of them. */
  #parentsOf(collection: CollectionOfService, parents: readonly string[]): readonly string[] {
    if (!this.#has('reads the last parent only', collection)) return parents
    const last = parents.at(-1) ?? ''
    const found = this.records.find(
      ({ collection: { id, words }, value }) =>
        words.length === parents.length && String(value[id]) === last,
    )
    return found ? [...found.parents, last] : parents
  }

  #requireParents(
    { words, name }: CollectionOfService,
    parents: readonly string[],
    user: string,
    method: string,
  ): void {
    if (this.#has('any parent will do', { name })) return
    const isForAll = this.#fault.kind.startsWith('others ') && this.#fault.at === name
    parents.forEach((id, at) => {
      const above = this.#style.collections.find(
        (one) => one.words.length === at + 1 && one.words[at] === words[at],
      )
      if (!above) return
      const isLast = at === parents.length - 1
      const kind = method === 'POST' ? 'others create below' : 'others read below'
      const found = this.records.find(
        (one) =>
          one.collection === above &&
          one.value[above.id] !== undefined &&
          String(one.value[above.id]) === id &&
          one.parents.every((parent, index) => parent === parents[index]),
      )
      if (!found && this.#takesAbsent(above, name, method)) return
      if (!found) throw new Refusal(404, `There is no ${above.name} ${id}.`)
      if (!(this.#isOf(found, user) || (isLast && this.#has(kind, { name })) || isForAll))
        throw new Refusal(this.#style.foreign, 'It belongs to somebody else.')
    })
  }

  #takesAbsent(above: CollectionOfService, name: string, method: string): boolean {
    if (this.#has('keeps what was below', above)) return true
    return method === 'POST' && this.#has('creates below what is removed', { name })
  }

  #isOf({ owner }: KeptRecord, user: string): boolean {
    return !this.#style.hasOwners || owner === user
  }

  #find(
    collection: CollectionOfService,
    parents: readonly string[],
    id: string,
    user: string,
    what: string,
  ): KeptRecord {
    const isHere = (one: KeptRecord): boolean =>
      this.#has('finds below another parent', collection) ||
      (what === 'act' && this.#has('acts below another parent', collection)) ||
      same(one.parents, parents)
    const found = this.records.find(
      (one) =>
        one.collection === collection && String(one.value[collection.id]) === id && isHere(one),
    )
    if (!found || found.isHidden) throw new Refusal(404, `There is no ${collection.name} ${id}.`)
    if (!this.#isOf(found, user) && !this.#has(`others ${what}`, collection))
      throw new Refusal(this.#style.foreign, 'It belongs to somebody else.')
    return found
  }

  #list(
    collection: CollectionOfService,
    parents: readonly string[],
    user: string,
    query: URLSearchParams,
  ): Response {
    const all = this.#selected(collection, parents, user, query)
    const page = this.#page(collection, all, query)
    const shown = page.records.map((one) => this.#shown(one, 'list'))
    const items = this.#has('an object as list', collection) ? { list: shown } : shown
    if (!this.#style.isEnveloped) {
      const total = this.#has('wrong total', collection) ? shown.length : all.length
      const headers = new Headers({
        'Content-Type': 'application/json',
        'X-Total-Count': String(total),
      })
      return new Response(JSON.stringify(items), { headers })
    }
    return json(
      this.#style.paging === 'offset'
        ? this.#offsetPage(collection, page, items)
        : this.#cursorPage(collection, page, items),
    )
  }

  #selected(
    collection: CollectionOfService,
    parents: readonly string[],
    user: string,
    query: URLSearchParams,
  ): readonly KeptRecord[] {
    const { filters = [] } = collection
    const isMixed = this.#has('mixes the children of parents', collection)
    const here = this.records.filter(
      (one) =>
        one.collection === collection &&
        (isMixed || same(one.parents, parents)) &&
        (this.#isOf(one, user) ||
          this.#has('others list', collection) ||
          this.#has('others read below', collection)) &&
        !(this.#has('does not list new records', collection) && one.value.isNew === true),
    )
    const filtered = here.filter(({ value }) =>
      filters.every((name) => this.#fits(collection, name, value, query)),
    )
    return this.#sorted(collection, filtered, query)
  }

  #fits(
    collection: CollectionOfService,
    name: string,
    value: JsonObject,
    query: URLSearchParams,
  ): boolean {
    const wanted = query.get(name)
    const isLost = query.has('cursor') && this.#has('loses the filter on the next page', collection)
    if (wanted === null || isLost || this.#has('ignores filters', collection)) return true
    const members = collection.fields[name]?.members ?? ['true', 'false']
    if (!members.includes(wanted)) this.#invalid(`${name} is not valid.`)
    return String(value[name]) === wanted
  }

  #sorted(
    collection: CollectionOfService,
    records: readonly KeptRecord[],
    query: URLSearchParams,
  ): readonly KeptRecord[] {
    const { sort } = this.#style
    const sorts = collection.sorts ?? []
    const given = (sort && query.get(sort.by)) ?? undefined
    const direction = query.get(sort?.direction ?? '') ?? 'asc'
    if (!['asc', 'desc'].includes(direction)) this.#invalid('direction is not valid.')
    if (given === undefined || sorts.length === 0) return records
    const name = given.replace(/^-/, '')
    const hasMinus = sort?.direction === undefined
    if (!sorts.includes(name) || (given.startsWith('-') && !hasMinus))
      this.#invalid('sort is not valid.')
    if (this.#has('ignores sorting', collection)) return records
    const isDescending =
      (given.startsWith('-') || direction === 'desc') &&
      !this.#has('ignores the direction', collection)
    const sign = isDescending ? -1 : 1

    return [...records].sort((one, other) => sign * compare(one.value[name], other.value[name]))
  }

  #page(collection: CollectionOfService, all: readonly KeptRecord[], query: URLSearchParams): Page {
    const { size: limit, paging } = this.#style
    const asked = this.#numberIn(query, limit.name, 1, limit.most) ?? limit.preset
    const size = this.#has('ignores the page size', collection) ? limit.preset : asked
    const places = {
      offset: () => this.#numberIn(query, 'offset', 0) ?? 0,
      page: () => ((this.#numberIn(query, 'page', 1) ?? 1) - 1) * size,
      cursor: () => this.#cursorIn(query),
    }
    const start = places[paging]()
    const shifts: Readonly<Record<string, number>> = {
      'repeats a record on the next page': -1,
      'skips a record on the next page': 1,
      'repeats the first page': -start,
    }
    const shift = this.#has(this.#fault.kind, collection) ? (shifts[this.#fault.kind] ?? 0) : 0
    const offset = start === 0 ? 0 : start + shift
    const more = this.#has('lists one more than the page size', collection) ? 1 : 0
    const isEnd =
      offset >= all.length && this.#has('repeats the last page after the end', collection)
    const from = isEnd ? Math.max(0, all.length - size) : offset

    return { all, records: all.slice(from, from + size + more), offset: start, size }
  }

  #cursorIn(query: URLSearchParams): number {
    const cursor = query.get('cursor')
    if (cursor === null) return 0
    const text = Buffer.from(cursor, 'base64').toString('latin1')
    const number = Number(text.slice(1))
    if (!text.startsWith('@') || Number.isNaN(number)) this.#invalid('cursor is not valid.')
    return number
  }

  #numberIn(
    query: URLSearchParams,
    name: string,
    least: number,
    most = Number.POSITIVE_INFINITY,
  ): number | undefined {
    const text = query.get(name)
    if (text === null) return undefined
    const isNumber = /^-?\d+$/.test(text)
    if (!isNumber && this.#has('500 for a word as number'))
      throw new Refusal(500, 'Internal error.')
    if (Number(text) > most && this.#has('accepts any page size')) return Number(text)
    if (!isNumber || Number(text) < least || Number(text) > most)
      this.#invalid(`${name} is not valid.`)
    return Number(text)
  }

  #offsetPage(
    collection: CollectionOfService,
    { all, records, offset, size }: Page,
    data: unknown,
  ): unknown {
    const hasMore = offset + records.length < all.length
    const whole = this.records.filter((one) => one.collection === collection).length
    const isWhole = this.#has('total without the filter', collection)
    const right = isWhole ? whole : all.length
    const total = this.#has('wrong total', collection) ? records.length : right
    const meta = {
      ...(!this.#has('no total', collection) && { total }),
      limit: size,
      offset: this.#has('wrong offset', collection) ? 0 : offset,
      has_more:
        this.#has('always more', collection) || (hasMore && !this.#has('never more', collection)),
    }
    return { data, meta }
  }

  #cursorPage(
    collection: CollectionOfService,
    { all, records, offset }: Page,
    items: unknown,
  ): unknown {
    const end = offset + records.length
    const isEnd = end >= all.length
    const hasMore = !isEnd || this.#has('always more', collection)
    const isLost = this.#has('no cursor although there is more', collection)
    const isEndless = this.#has('a cursor after the last page', collection)
    const cursor = (!isEnd || isEndless) && !isLost ? btoa(`@${isEnd ? 0 : end}`) : null

    return {
      items,
      next_cursor: cursor,
      has_more: hasMore && !this.#has('never more', collection),
    }
  }

  #create(
    collection: CollectionOfService,
    parents: readonly string[],
    user: string,
    text: string,
  ): Response {
    const sent = this.#bodyOf(collection, text, false)
    const { id, ids, unique, words } = collection
    const key = ids === 'client' ? id : unique
    const isTaken =
      key !== undefined &&
      this.records.some((one) => one.collection === collection && one.value[key] === sent[key])
    const isReplaced = isTaken && this.#has('creates what exists', collection)
    if (isTaken && !isReplaced) throw new Refusal(409, `Another record has this ${key}.`)
    if (isReplaced && ids === 'client')
      this.records = this.records.filter((one) => one.value[id] !== sent[id])
    const hidden = this.#has('does not list new records', collection) ? { isNew: true } : {}
    const record = this.add(collection.name, this.#ownerOf(parents, user), parents, {
      ...this.#stored(collection, sent),
      ...hidden,
    })
    const path = words.map(
      (word, at) => `/${word}${parents[at] === undefined ? '' : `/${parents[at]}`}`,
    )
    const headers: Record<string, string> = {}
    if (!this.#has('no Location', collection))
      headers.Location = `${new URL(this.#style.base).pathname.replace(/\/$/, '')}${path.join('')}/${record.value[id]}`
    const status = this.#has('200 for a creation', collection) ? 200 : 201

    return json(this.#enveloped(this.#shown(record, 'create')), status, headers)
  }

  /** What is below a record belongs to whom the record belongs. */
  #ownerOf([parent]: readonly string[], user: string): string {
    const [top] = this.records.filter(
      ({ value, collection, parents }) =>
        parents.length === 0 && String(value[collection.id]) === parent,
    )
    return top?.owner ?? user
  }

  #read(found: KeptRecord): Response {
    const { collection } = found
    const others = this.records.filter(
      (one) => one.collection === collection && same(one.parents, found.parents),
    )
    const record = this.#has('reads the record before', collection)
      ? (others[others.indexOf(found) - 1] ?? found)
      : found
    const body = this.#enveloped(this.#shown(record, 'read'))
    if (this.#has('HTML instead of JSON', collection))
      return new Response('<p>Hello</p>', { headers: { 'Content-Type': 'text/html' } })

    return json(body)
  }

  #change({ collection, parents, id, user }: OneRecord, method: string, text: string): Response {
    const isThere = this.records.some((one) => String(one.value[collection.id]) === id)
    if (!isThere && this.#has('changes what does not exist', collection)) {
      const like = this.records.find((one) => one.collection === collection)?.value
      const own = { [collection.id]: collection.ids === 'integer' ? Number(id) : id }
      return json(this.#enveloped({ ...like, ...own }))
    }
    const record = this.#find(collection, parents, id, user, 'change')
    const sent = this.#stored(collection, this.#bodyOf(collection, text, method === 'PATCH'))
    const { id: name, made } = collection
    const kept = method === 'PATCH' ? record.value : keptOf(record, made)
    const unset = this.#has('resets what a change does not name', collection)
      ? Object.fromEntries(
          Object.entries(record.value).filter(
            ([key]) =>
              key === name || !collection.fields[key] || collection.fields[key]?.isRequired,
          ),
        )
      : kept
    const value = { ...unset, ...presetsOf(collection, unset), ...sent, [name]: record.value[name] }
    const answer = { ...record, value }
    if (!this.#has('does not keep changes', collection)) record.value = value
    if (this.#has('changes others too', collection)) {
      for (const one of this.records) {
        if (one.collection === collection)
          one.value = { ...one.value, ...sent, [name]: one.value[name] }
      }
    }
    if (this.#has('204 for a change', collection)) return new Response(null, { status: 204 })
    return json(this.#enveloped(this.#shown(answer, 'change')))
  }

  #remove(
    collection: CollectionOfService,
    parents: readonly string[],
    id: string,
    user: string,
  ): Response {
    const isGone = !this.records.some(
      (one) => one.collection === collection && String(one.value[collection.id]) === id,
    )
    if (isGone && this.#has('500 for a second removal', collection))
      throw new Refusal(500, 'Internal error.')
    if (isGone && this.#has('removes what does not exist', collection))
      return new Response(null, { status: 204 })
    const record = this.#find(collection, parents, id, user, 'remove')
    const siblings = this.records.filter(
      (one) => one.collection === collection && same(one.parents, parents),
    )
    const before = siblings[siblings.indexOf(record) - 1]
    if (this.#has('removes another too', collection) && before) this.#forget(before)
    if (this.#has('lists removed records', collection)) record.isHidden = true
    else if (!this.#has('removes nothing', collection)) this.#forget(record)
    const status = this.#has('200 for a removal', collection) ? 200 : 204

    return status === 204 ? new Response(null, { status }) : json({ removed: true })
  }

  #forget(record: KeptRecord): void {
    const path = [...record.parents, String(record.value[record.collection.id])]
    const isBelow = (one: KeptRecord): boolean =>
      !this.#has('keeps what was below', record.collection) &&
      one.parents.length >= path.length &&
      path.every((id, at) => one.parents[at] === id)
    this.records = this.records.filter((one) => one !== record && !isBelow(one))
  }

  #act(collection: CollectionOfService, record: KeptRecord, name: string): Response {
    const { set, once } = collection.actions?.[name] ?? { set: {} }
    if (this.#has('500 for an action', collection)) throw new Refusal(500, 'Internal error.')
    const isDone = Object.entries(set).every(([key, value]) => record.value[key] === value)
    if (isDone && once && !this.#has('acts twice', collection))
      throw new Refusal(409, 'It is done already.')
    if (!this.#has('an action does nothing', collection)) record.value = { ...record.value, ...set }
    return json(this.#enveloped(this.#shown(record, 'act')))
  }

  #bodyOf(collection: CollectionOfService, text: string, isPart: boolean): JsonObject {
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      if (this.#has('500 for broken JSON', collection)) throw new Refusal(500, 'Internal error.')
      this.#invalid('The body is no JSON.')
    }
    if (!isObject(body) || Array.isArray(body)) return this.#invalid('The body is no object.')
    for (const [name, field] of Object.entries(collection.fields)) {
      const value = body[name]
      if (value === undefined) {
        const isMissing =
          field.isRequired && !isPart && !this.#has(`accepts a missing ${name}`, collection)
        if (isMissing) this.#invalid(`${name} is missing.`)
        continue
      }
      const isRefused = !this.#accepts(collection, name, value)
      if (isRefused) this.#invalid(`${name} is not valid.`)
    }
    return body
  }

  #accepts(collection: CollectionOfService, name: string, value: unknown): boolean {
    const field = collection.fields[name]
    if (!field) return true
    if (this.#has(`refuses the longest ${name}`, collection) && typeof value === 'string')
      return isValid(field, value) && value.length < (field.most ?? 0)
    if (this.#has(`refuses the largest ${name}`, collection))
      return isValid(field, value) && value !== field.most
    if (this.#has(`refuses Unicode in ${name}`, collection) && /[^\x20-\x7e]/.test(String(value)))
      return false
    const { kind } = this.#fault
    const ignored = new Set(
      this.#has(kind, collection) && kind.endsWith(` of ${name}`) ? [kind.split(' ')[1]] : [],
    )
    return isValid(field, value, ignored)
  }

  #invalid(message: string): never {
    throw new Refusal(this.#style.invalid, message)
  }

  /** What is stored of a sent body. */
  #stored(collection: CollectionOfService, sent: JsonObject): JsonObject {
    const entries = Object.entries(sent).flatMap(([name, value]) => {
      if (!collection.fields[name]) return []
      const kept = this.#kept(collection, name, value)
      return kept === undefined ? [] : [[name, kept] as const]
    })
    return Object.fromEntries(entries)
  }

  #kept(collection: CollectionOfService, name: string, value: unknown): unknown {
    if (this.#has(`loses ${name}`, collection)) return undefined
    if (this.#has(`rounds ${name}`, collection) && typeof value === 'number')
      return Math.floor(value)
    if (this.#has(`cuts ${name}`, collection) && typeof value === 'string')
      return value.slice(0, 40)
    if (this.#has(`mangles ${name}`, collection) && typeof value === 'string')
      return value.replace(/[^\x20-\x7e]/gu, '?')
    if (this.#has('keeps no false', collection) && value === false) return true
    if (this.#has('keeps no zero', collection) && value === 0) return 1
    return value
  }

  #shown({ collection, value }: KeptRecord, where: string): JsonObject {
    const { isNew: _, ...shown } = value
    const { kind } = this.#fault
    const isHere = this.#has(kind, collection) && (where === 'list' || !kind.endsWith(' in lists'))
    const [, name = '', how = ''] = (isHere && /^shows (\w+) (.*?)( in lists)?$/.exec(kind)) || []
    const write = WRONG[how]
    if (!write) return shown
    const { [name]: right, ...others } = shown
    const wrong = write(right)

    return wrong === undefined ? others : { ...shown, [name]: wrong }
  }

  #enveloped(value: JsonObject): unknown {
    return this.#style.isEnveloped && this.#style.paging === 'offset' ? { data: value } : value
  }

  #newId({ ids }: CollectionOfService): unknown {
    this.#count += 1
    if (ids === 'integer') return 100 + this.#count
    return ids === 'uuid' ? crypto.randomUUID() : `id${1000 + this.#count}`
  }
}

function keptOf({ value }: KeptRecord, made: (() => JsonObject) | undefined): JsonObject {
  const names = Object.keys(made?.() ?? {})
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)))
}

function presetsOf({ fields }: CollectionOfService, value: JsonObject): JsonObject {
  const missing = Object.entries(fields).filter(
    ([name, { preset }]) => preset !== undefined && value[name] === undefined,
  )
  return Object.fromEntries(missing.map(([name, { preset }]) => [name, preset]))
}

function isValid(
  {
    type,
    least = Number.NEGATIVE_INFINITY,
    most = Number.POSITIVE_INFINITY,
    pattern,
    members,
  }: Field,
  value: unknown,
  ignored: ReadonlySet<string | undefined> = new Set(),
): boolean {
  if (!hasType(type, value, ignored)) return ignored.has('types')
  const rules: readonly (readonly [string, boolean])[] =
    typeof value === 'number'
      ? [
          ['minimum', value >= least],
          ['maximum', value <= most],
        ]
      : [
          ['shortest', typeof value !== 'string' || [...value].length >= least],
          ['longest', typeof value !== 'string' || [...value].length <= most],
          ['pattern', pattern?.test(String(value)) ?? true],
          ['members', members?.includes(String(value)) ?? true],
        ]
  return rules.every(([rule, isKept]) => isKept || ignored.has(rule))
}

function hasType(
  type: Field['type'],
  value: unknown,
  ignored: ReadonlySet<string | undefined>,
): boolean {
  if (type === 'texts') return Array.isArray(value) && value.every((one) => typeof one === 'string')
  if (type !== 'integer') return typeof value === type
  return typeof value === 'number' && (Number.isInteger(value) || ignored.has('fractions'))
}

/** The ids above a path, the id in it, and the action at its end; `undefined` when it is in another collection. */
function placeIn(
  { words }: CollectionOfService,
  path: readonly string[],
): { parents: readonly string[]; id?: string; action?: string } | undefined {
  if (!words.every((word, at) => path[at * 2] === word)) return undefined
  const depth = words.length * 2 - 1
  const parents = path.slice(0, depth).filter((_, at) => at % 2 === 1)
  const [id, action, ...rest] = path.slice(depth)
  if (rest.length > 0) return undefined
  return { parents, ...(id !== undefined && { id }), ...(action !== undefined && { action }) }
}

function methodsAt({ methods }: CollectionOfService, id: string | undefined): readonly string[] {
  return methods
    .filter((one) => one.startsWith(id === undefined ? '/' : ':'))
    .map((one) => one.slice(1))
}

function same(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, at) => id === other[at])
}

function compare(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  if (String(one) === String(other)) return 0
  return String(one) < String(other) ? -1 : 1
}

function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
  })
}
