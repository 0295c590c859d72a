import type { JsonObject } from '../../document/json-value.ts'
import { isObject } from '../../validation/objects.ts'
import type { FaultyService } from './faulty-service.ts'
import { BASE, NURSERY_DOCUMENT, ORDERS } from './nursery-document.ts'

/** The faults of the nursery, each with a check that sees it. */
const FAULTS: Readonly<Record<string, string>> = {
  'names no allowed methods': 'wrong-method/PROPFIND /growers/allow',
  'rounds heights': 'createPlant/values/exact/shown',
  'sorts tags': 'readPlant/values/exact',
  'drops a tag that is there twice': 'createPlant/values/exact/shown',
  'takes prices with three decimals': 'createPlant/price=0.015',
  'shows a changed stock and does not keep it': 'changePlant/numbers',
  'ignores null in a change of a grower': 'changeGrower/cleared',
  'takes any text as a site': 'createGrower/site="no-uri"',
  'names the first page as the one before': 'listGrowers/walk/place',
  'leaves out plants of the last day': 'listPlants/plants_to=…/fits',
  'links from a full last page to an empty one': 'listPlants/walk/full',
  'takes any cursor': 'listPlants/cursor=unknown/refused',
  'sorts by stock in one direction': 'listPlants/sort=-stock/order',
  'takes a name again in capitals': 'createGrower/conflict/name/case',
  'refuses the label of a cutting of another plant': 'createCutting/stated/once/label/elsewhere',
  'refuses the day of a cutting of another plant':
    'createCutting/stated/once/gardener+taken_on/elsewhere',
  'counts valid cuttings only': 'readPlant/cutting_count/createCutting/others',
  'removes all cuttings by one gardener': 'deleteCutting/others',
  'closes the plants of others': 'closePlant/other-key',
  'finds plants by parts of tags': 'listPlants/tag=part',
  'moves no time when a plant is opened': 'openPlant/updated',
}

type Row = JsonObject & { readonly id: number }

interface Call {
  readonly method: string
  readonly path: readonly string[]
  readonly query: URLSearchParams
  readonly given: JsonObject | undefined
  readonly user: string
}

/** Growers, and plants of users with cuttings. */
class Nursery {
  readonly #fault: string
  #growers: Row[] = []
  #plants: Row[] = []
  #cuttings: Row[] = []
  #lastId = 0
  #lastTime = 0

  constructor(fault = 'none') {
    this.#fault = fault
    for (const word of ['Ash', 'Birch', 'Cedar', 'Dogwood', 'Elder', 'Fir', 'Guelder'])
      this.#add(this.#growers, { name: `${word} farm`, email: null, site: null })
    for (const [at, tags] of [['shade', 'herb'], ['fruit'], [], ['herb']].entries()) {
      const sizes = { price: 1.25 * (at + 1), height: 10.5 + at, stock: 40 - at }
      const more = { planting_day: `2026-02-1${at}`, tags, state: 'planned', _user: 'ann' }
      this.#add(this.#plants, { title: `${'DACB'[at]} plant`, ...sizes, ...more })
    }
  }

  get records(): readonly unknown[] {
    return [...this.#growers, ...this.#plants, ...this.#cuttings]
  }

  #has(fault: string): boolean {
    return this.#fault === fault
  }

  #now(): string {
    this.#lastTime = Math.max(Date.now(), this.#lastTime + 1)
    return new Date(this.#lastTime).toISOString()
  }

  #add(rows: Row[], values: JsonObject): Row {
    this.#lastId += 1
    const times = rows === this.#plants ? { updated_at: this.#now() } : {}
    const row = { ...values, ...times, id: this.#lastId }
    rows.push(row)
    return row
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams: query } = new URL(request.url)
    const [, , word, ...path] = pathname.split('/')
    if (!/^(GET|POST|PATCH|DELETE)$/.test(request.method)) {
      const headers = this.#has('names no allowed methods') ? {} : { Allow: 'GET, POST' }
      return Response.json({}, { status: 405, headers })
    }
    const key = /^Bearer key-of-(ann|bob)$/.exec(request.headers.get('Authorization') ?? '')
    const user = key?.[1]
    if (user === undefined) return refusal(401)
    const sent: unknown = await request.json().catch(() => undefined)
    const given = isObject(sent) && !Array.isArray(sent) ? sent : undefined
    const call = { method: request.method, path, query, given, user }
    if (word === 'growers') return this.#answerGrowers(call)
    return word === 'plants' ? this.#answerPlants(call) : refusal(404)
  }

  #answerGrowers({ method, path: [own], query, given }: Call): Response {
    if (own === undefined && method === 'GET') return this.#listGrowers(query)
    const found = own === undefined ? undefined : find(this.#growers, own)
    if (own !== undefined && !found) return refusal(404)
    if (found && method === 'GET') return Response.json(found)
    if (found && method === 'DELETE') return remove(this.#growers, found)
    const values = this.#growerIn(given, found)
    if (!values) return refusal(422)
    const { name } = values
    const isSame = (one: unknown): boolean =>
      this.#has('takes a name again in capitals')
        ? one === name
        : String(one).toLowerCase() === String(name).toLowerCase()
    if (this.#growers.some((one) => one !== found && isSame(one.name))) return refusal(409)
    return found
      ? Response.json(Object.assign(found, values))
      : Response.json(this.#add(this.#growers, values), { status: 201 })
  }

  #growerIn(given: JsonObject | undefined, found: Row | undefined): JsonObject | undefined {
    const before: JsonObject = found ?? {}
    const { name: usual = '', email: old = null, site: home = null } = before
    const isKept = found !== undefined && this.#has('ignores null in a change of a grower')
    const { name = usual, email: sent = null, site = home } = { email: old, ...given }
    const email = sent === null && isKept ? old : sent
    const isMail = email === null || (isText(email, 200) && /^[^\s@]+@[^\s@]+$/.test(email))
    const isUri =
      typeof site === 'string' && (URL.canParse(site) || this.#has('takes any text as a site'))
    const isSite = site === null || (isText(site, 90) && isUri)
    const isKnown = given && isOnly(given, ['name', 'email', 'site'])
    return isKnown && isText(name, 60) && isMail && isSite ? { name, email, site } : undefined
  }

  #listGrowers(query: URLSearchParams): Response {
    const [page, size] = [query.get('page') ?? '1', query.get('page_size') ?? '5'].map(Number)
    if (!isCount(page, 1e6) || !isCount(size, 50)) return refusal(422)
    const results = this.#growers.slice((page - 1) * size, page * size)
    const before = this.#has('names the first page as the one before') ? 1 : page - 1
    const count = this.#growers.length
    const next = page * size < count ? page + 1 : null
    return Response.json({ count, next, previous: page > 1 ? before : null, results })
  }

  #answerPlants(call: Call): Response {
    const { method, path, query, given, user } = call
    const [own, word] = path
    if (own === undefined && method === 'GET') return this.#listPlants(query, user)
    if (own === undefined) {
      const values = this.#plantIn({ tags: [], ...given })
      if (!values) return refusal(422)
      const plant = this.#add(this.#plants, { ...values, state: 'planned', _user: user })
      return Response.json(this.#shown(plant), { status: 201 })
    }
    const plant = find(this.#plants, own)
    const isOpen = word === 'close' && this.#has('closes the plants of others')
    if (!plant || (plant._user !== user && !isOpen)) return refusal(404)
    if (word === 'cuttings') return this.#answerCuttings(plant, call)
    if (word !== undefined) return this.#move(plant, word)
    if (method === 'GET') return Response.json(this.#shown(plant))
    if (method === 'PATCH') return this.#changePlant(plant, given)
    this.#cuttings = this.#cuttings.filter((one) => one._plant !== plant.id)
    return remove(this.#plants, plant)
  }

  #shown({ _user, ...plant }: Row): JsonObject {
    const isCounted = ({ _plant, valid }: Row): boolean =>
      _plant === plant.id && (valid === true || !this.#has('counts valid cuttings only'))
    return { ...plant, cutting_count: this.#cuttings.filter(isCounted).length }
  }

  #plantIn(values: JsonObject): JsonObject | undefined {
    const { title, price, height, stock, planting_day: on, tags } = values
    const isTag = (one: unknown): boolean => isText(one, 20) && [...one].length > 1
    const cents = Number(price) * 100
    const isExact = Math.abs(cents - Math.round(cents)) < 1e-6
    const isValid =
      isOnly(values, ['title', 'price', 'height', 'stock', 'planting_day', 'tags']) &&
      isText(title, 60) &&
      isNumber(price, 900) &&
      (isExact || this.#has('takes prices with three decimals')) &&
      isNumber(height, 5000) &&
      isCount(stock, 90) &&
      isDay(on)
    if (!isValid || !Array.isArray(tags) || tags.length > 5 || !tags.every(isTag)) return undefined
    const once = this.#has('drops a tag that is there twice') ? [...new Set(tags)] : tags
    const kept = this.#has('sorts tags') ? once.toSorted() : once
    const rounded = this.#has('rounds heights') ? Math.round(height * 100) / 100 : height
    return { ...values, height: rounded, tags: kept }
  }

  #changePlant(plant: Row, given: JsonObject | undefined): Response {
    const { id: _id, _user, state: _state, updated_at: _at, ...before } = plant
    const values = given && this.#plantIn({ ...before, ...given })
    if (!values) return refusal(422)
    const isLost = this.#has('shows a changed stock and does not keep it')
    const { stock } = plant
    Object.assign(plant, values, { updated_at: this.#now() }, isLost && { stock })
    return Response.json({ ...this.#shown(plant), stock: values.stock })
  }

  #move(plant: Row, word: string): Response {
    const [from, to] = word === 'open' ? ['planned', 'open'] : ['open', 'closed']
    if (plant.state !== from) return refusal(409)
    const isStill = word === 'open' && this.#has('moves no time when a plant is opened')
    Object.assign(plant, { state: to }, !isStill && { updated_at: this.#now() })
    return Response.json(this.#shown(plant))
  }

  #listPlants(query: URLSearchParams, user: string): Response {
    const [limit, sort] = [query.get('limit') ?? '20', query.get('sort') ?? 'title']
    const [tag, last, cursor] = ['tag', 'plants_to', 'cursor'].map((one) => query.get(one))
    const by = sort.replace(/^-/, '')
    const isShort = tag !== null && tag !== undefined && tag.length < 2
    if (!isCount(Number(limit), 80) || !ORDERS.includes(by) || isShort) return refusal(422)
    if (typeof last === 'string' && !isDay(last)) return refusal(422)
    const place = cursorIn(cursor)
    if (place === undefined && !this.#has('takes any cursor')) return refusal(422)
    const isStrict = this.#has('leaves out plants of the last day')
    const hasTag = ({ tags }: Row): boolean =>
      strings(tags).some((one) =>
        this.#has('finds plants by parts of tags') ? one.includes(tag ?? '') : one === tag,
      )
    const isUp = !sort.startsWith('-') || (by === 'stock' && this.#has(ONE_WAY))
    const found = this.#plants
      .filter((one) => one._user === user && (tag === null || hasTag(one)))
      .filter(({ planting_day: on }) => {
        const isOn = on === last && !isStrict
        return typeof last !== 'string' || isOn || String(on) < last
      })
      .sort((one, other) => (isUp ? 1 : -1) * compare(one[by], other[by]))
    return this.#pageOf(found, query, place ?? 0, Number(limit))
  }

  #pageOf(found: readonly Row[], query: URLSearchParams, place: number, size: number): Response {
    const end = place + size
    const isMore = this.#has('links from a full last page to an empty one')
      ? end <= found.length
      : end < found.length
    const next = new URLSearchParams(query)
    next.set('cursor', `after-${end}`)
    const headers = isMore ? { Link: `<${BASE}/plants?${next}>; rel="next"` } : {}
    const shown = found.slice(place, end).map((one) => this.#shown(one))
    return Response.json(shown, { headers })
  }

  #answerCuttings(plant: Row, { method, path: [, , own], given }: Call): Response {
    const all = this.#cuttings.filter((one) => one._plant === plant.id)
    if (own === undefined && method === 'GET') return Response.json(all.map(withoutPlant))
    if (own === undefined) return this.#createCutting(plant, all, { valid: true, ...given })
    const found = find(all, own)
    if (!found) return refusal(404)
    if (method === 'GET') return Response.json(withoutPlant(found))
    if (this.#has('removes all cuttings by one gardener')) {
      const isSame = (one: Row): boolean => one.gardener === found.gardener && all.includes(one)
      this.#cuttings = this.#cuttings.filter((one) => one === found || !isSame(one))
    }
    return remove(this.#cuttings, found)
  }

  #createCutting(plant: Row, all: readonly Row[], values: JsonObject): Response {
    const { label, gardener, taken_on: on, valid } = values
    const isValid =
      isOnly(values, ['label', 'gardener', 'taken_on', 'valid']) &&
      typeof label === 'string' &&
      /^[A-Z]{6}$/.test(label) &&
      isText(gardener, 60) &&
      typeof valid === 'boolean' &&
      isDay(on)
    if (!isValid) return refusal(422)
    const wide = (fault: string): readonly Row[] => (this.#has(fault) ? this.#cuttings : all)
    const labels = wide('refuses the label of a cutting of another plant')
    const days = wide('refuses the day of a cutting of another plant')
    const isTaken =
      labels.some((one) => one.label === label) ||
      days.some((one) => one.taken_on === on && one.gardener === gardener)
    if (isTaken) return refusal(409)
    const cutting = this.#add(this.#cuttings, { ...values, _plant: plant.id })
    return Response.json(withoutPlant(cutting), { status: 201 })
  }
}

const ONE_WAY = 'sorts by stock in one direction'

function withoutPlant({ _plant, ...cutting }: Row): JsonObject {
  return cutting
}

/** The place that a cursor names; `undefined` for one that the service has not made. */
function cursorIn(cursor: string | null | undefined): number | undefined {
  if (cursor === null || cursor === undefined) return 0
  const [, place] = /^after-(\d+)$/.exec(cursor) ?? []
  return place === undefined ? undefined : Number(place)
}

function compare(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  if (one === other) return 0
  return String(one) < String(other) ? -1 : 1
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function find(rows: readonly Row[], id: string): Row | undefined {
  return rows.find((one) => String(one.id) === id)
}

function remove(rows: Row[], row: Row): Response {
  rows.splice(rows.indexOf(row), 1)
  return new Response(null, { status: 204 })
}

function isOnly(given: JsonObject, names: readonly string[]): boolean {
  return Object.keys(given).every((one) => names.includes(one))
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value !== '' && [...value].length <= most
}

function isNumber(value: unknown, most: number): value is number {
  return typeof value === 'number' && value >= 0 && value <= most
}

function isCount(value: unknown, most: number): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most
}

function isDay(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false
  const time = Date.parse(value)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value)
}

function refusal(status: number): Response {
  return Response.json({ message: 'It is not allowed.' }, { status })
}

export const NURSERY: FaultyService = {
  what: 'a service that keeps values exactly, with cursors in links and labels within their parents',
  base: BASE,
  options: { key: 'key-of-ann', otherKey: 'key-of-bob', writes: true },
  document: NURSERY_DOCUMENT,
  faults: FAULTS,
  seenElsewhere: ['closes the plants of others', 'moves no time when a plant is opened'],
  create: (fault) => new Nursery(fault),
}
