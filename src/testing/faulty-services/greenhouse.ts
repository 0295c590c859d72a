import type { JsonObject } from '../../document/json-value.ts'
import { isObject } from '../../validation/objects.ts'
import type { FaultyService } from './faulty-service.ts'
import { GREENHOUSE_DOCUMENT } from './greenhouse-document.ts'

/** The faults of the greenhouse, each with a check that sees it. */
const FAULTS: Readonly<Record<string, string>> = {
  'does not keep a change of a bed': 'readBed/after/changeBed',
  'does not remove a bed': 'readBed/after/removeBed',
  'ignores If-Match for a bed': 'changeBed/if-match',
  'lets a change set the state of a bed': 'changeBed/read-only/state',
  'plans a bed again when it is closed': 'closeBed/effect',
  'forgets the note of a task': 'commentTask/kept',
  'reopens nothing': 'reopenTask/effect',
  'leaves a cancelled job queued': 'readJob/after/cancelJob',
  'lists the jobs of all beds': 'listJobs/parent',
  'adds a tag twice': 'listTags/twice/addTag',
  'keeps a removed tag': 'listTags/after/removeTag',
  'removes all tags at once': 'removeTag/others',
  'has the same settings for all beds': 'changeSettings/others',
  'keeps the revision of settings': 'changeSettings/revision',
  'accepts an interval of zero': 'changeSettings/interval=0',
  'accepts too many limits': 'changeSettings/4-limits',
  'keeps one sample of a list': 'listSamples/after/addSamples',
  'keeps the samples before one that it refuses': 'addSamples/refused',
  'counts samples wrongly': 'addSamples/accepted',
  'accepts a list without samples': 'addSamples/0-records',
  'accepts samples of any kind': 'addSamples/a-record-with-record.kind="no-such-value"',
  'repeats a sample on the next page': 'listSamples/walk/disjoint',
  'finishes all tasks but the last': 'finishTasks/effect',
  'finishes tasks that it does not get': 'finishTasks/others',
  'has no result for the last task': 'finishTasks/results',
  'filters by the first of several kinds': 'listTasks/kind=prune,harvest/each',
  'links houses to nothing': 'listHouses/self',
  'has a Location that leads nowhere': 'createHouse/location/read',
  'has the house in the Location of a bed': 'addBed/location',
  'has a Location that cannot be decoded': 'addBed/location',
  'does not count new beds': 'readHouse/bed_count/addBed',
  'takes zero for nothing': 'createHouse/values/unusual',
  'takes an address without a host': 'createHouse/contact="verify@"',
  'refuses null in a replacement': 'replaceHouse/cleared',
  'keeps the climate in a replacement': 'replaceHouse/replaced',
  'has another climate than the default': 'createHouse/defaults',
  'takes the name of another house in a replacement': 'replaceHouse/conflict/name',
}

interface Bed {
  readonly id: string
  readonly house: string
  title: string
  notes: unknown
  state: string
  version: number
  tags: string[]
  readonly samples: JsonObject[]
  readonly jobs: { readonly id: string; readonly kind: string; status: string }[]
  settings: JsonObject
}

/** Houses with beds, which have an address of their own and parts below it, and tasks that are finished together. */
class Greenhouse {
  readonly #fault: string
  #houses: JsonObject[] = []
  #beds: Bed[] = []
  #tasks: JsonObject[] = []
  #count = 0

  constructor(fault = 'none') {
    this.#fault = fault
    for (const name of ['North', 'South']) {
      const { id } = this.#addHouse({ name: `${name} house`, place: { lat: 48 } })
      for (let at = 0; at < 3; at += 1) this.#addBed(String(id), { title: `Bed ${at}` })
    }
    for (const kind of ['water', 'prune', 'harvest', 'prune']) this.#addTask({ kind, title: kind })
    const [bed] = this.#beds
    for (let at = 0; at < 12; at += 1) bed?.samples.push({ kind: 'soil', value: at })
    bed?.jobs.push({ id: crypto.randomUUID(), kind: 'rinse', status: 'queued' })
  }

  /** What is stored. */
  get records(): readonly unknown[] {
    return [...this.#houses, ...this.#beds, ...this.#tasks]
  }

  async fetch(request: Request): Promise<Response> {
    if (request.headers.get('Authorization') !== 'Bearer key-of-ann') return refusal(401)
    const url = new URL(request.url)
    const [, , name, ...path] = url.pathname.split('/').map(decodeURIComponent)
    const given: unknown = await request.json().catch(() => undefined)
    const call = { method: request.method, url, path, given, headers: request.headers }
    if (name === 'houses') return this.#answerHouses(call)
    if (name === 'beds') return this.#answerBeds(call)
    return name === 'tasks' ? this.#answerTasks(call) : refusal(404)
  }

  #has(fault: string): boolean {
    return this.#fault === fault
  }

  #nextId(prefix: string): string {
    this.#count += 1
    return `${prefix}_${this.#count}`
  }

  #addHouse(given: JsonObject): JsonObject {
    const climate = this.#has('has another climate than the default') ? 'warm' : 'cool'
    const house = { climate, contact: null, ...given, id: this.#nextId('h') }
    this.#houses.push(house)
    return house
  }

  #answerNewBed(bed: Bed): Response {
    const named = this.#has('has the house in the Location of a bed') ? bed.house : bed.id
    const id = this.#has('has a Location that cannot be decoded') ? '%' : named
    return Response.json(shownBed(bed), { status: 201, headers: { Location: `/v1/beds/${id}` } })
  }

  #addBed(house: string, { title, notes = null }: JsonObject): Bed {
    const settings = { interval: 60, limits: [], revision: 1 }
    const parts = { tags: [], samples: [], jobs: [], settings }
    const values = { title: String(title), notes, state: 'planned', version: 1 }
    const bed = { id: this.#nextId('b'), house, ...values, ...parts }
    this.#beds.push(bed)
    return bed
  }

  #addTask({ kind, title }: JsonObject): JsonObject {
    const task = { id: this.#nextId('t'), kind, title, status: 'open', note: null }
    this.#tasks.push(task)
    return task
  }

  #shownHouse(house: JsonObject): JsonObject {
    const count = this.#beds.filter((one) => one.house === house.id).length
    const href = `/v1/houses/${this.#has('links houses to nothing') ? 'undefined' : house.id}`
    const beds = this.#has('does not count new beds') ? 3 : count
    return { ...house, bed_count: beds, _links: { self: { href } } }
  }

  #answerHouses({ method, path: [id, below], given }: Call): Response {
    if (id === undefined && method === 'GET')
      return Response.json({ houses: this.#houses.map((one) => this.#shownHouse(one)) })
    if (id === undefined) return this.#createHouse(given)
    const house = this.#houses.find((one) => one.id === id)
    if (!house || (below !== undefined && below !== 'beds')) return refusal(404)
    if (below && method === 'GET')
      return Response.json(this.#beds.filter((one) => one.house === id).map(shownBed))
    if (below) {
      const valid = bedIn(given, true)
      return valid ? this.#answerNewBed(this.#addBed(id, valid)) : refusal(422)
    }
    if (method === 'DELETE') {
      this.#houses = this.#houses.filter((one) => one !== house)
      this.#beds = this.#beds.filter((one) => one.house !== id)
      return new Response(null, { status: 204 })
    }
    return method === 'GET'
      ? Response.json(this.#shownHouse(house))
      : this.#replaceHouse(house, given)
  }

  #createHouse(given: unknown): Response {
    const values = this.#houseIn(given)
    if (!values) return refusal(422)
    if (this.#houses.some(({ name }) => name === values.name)) return refusal(409)
    const house = this.#addHouse(values)
    const id = this.#has('has a Location that leads nowhere') ? 'undefined' : house.id
    const headers = { Location: `/v1/houses/${id}` }
    return Response.json(this.#shownHouse(house), { status: 201, headers })
  }

  #replaceHouse(house: JsonObject, given: unknown): Response {
    const values = this.#houseIn(given)
    if (values?.contact === null && this.#has('refuses null in a replacement')) return refusal(422)
    if (!values) return refusal(422)
    const isTaken = this.#houses.some((one) => one !== house && one.name === values.name)
    if (isTaken && !this.#has('takes the name of another house in a replacement'))
      return refusal(409)
    const before = this.#has('keeps the climate in a replacement') ? house : {}
    const replaced = { climate: 'cool', contact: null, ...before, ...values, id: house.id }
    this.#houses = this.#houses.map((one) => (one === house ? replaced : one))
    return Response.json(this.#shownHouse(replaced))
  }

  #houseIn(given: unknown): JsonObject | undefined {
    if (!isObject(given) || Array.isArray(given)) return undefined
    const { name, climate, place, contact } = given
    const lat = isObject(place) ? place.lat : undefined
    const address = this.#has('takes an address without a host') ? /@/ : /^\S+@\S+$/
    const isValid =
      isText(name, 40) &&
      (climate === undefined || climate === 'warm' || climate === 'cool') &&
      isNumber(lat, -90, 90) &&
      !(lat === 0 && this.#has('takes zero for nothing')) &&
      (contact === undefined || contact === null || (isText(contact, 200) && address.test(contact)))
    const all = Object.entries({ name, climate, place: { lat }, contact })
    return isValid ? Object.fromEntries(all.filter(([, one]) => one !== undefined)) : undefined
  }

  #answerBeds({ method, url, path: [id, part, below], given, headers }: Call): Response {
    if (id === undefined) return Response.json(this.#beds.map(shownBed))
    const bed = this.#beds.find((one) => one.id === id)
    if (!bed) return refusal(404)
    switch (part) {
      case undefined:
        return this.#answerBed(bed, method, given, headers.get('If-Match'))
      case 'open':
      case 'close':
        return this.#moveBed(bed, part)
      case 'tags':
        return this.#answerTags(bed, method, below)
      case 'settings':
        return this.#answerSettings(bed, method, given)
      case 'samples':
        return method === 'GET' ? this.#listSamples(bed, url) : this.#addSamples(bed, given)
      default:
        return part === 'jobs' ? this.#answerJobs(bed, method, below, given) : refusal(404)
    }
  }

  #answerBed(bed: Bed, method: string, given: unknown, match: string | null): Response {
    const headers = { ETag: `"${bed.version}"` }
    if (method === 'GET') return Response.json(shownBed(bed), { headers })
    if (method === 'DELETE') {
      if (!this.#has('does not remove a bed')) this.#beds = this.#beds.filter((one) => one !== bed)
      return new Response(null, { status: 204 })
    }
    const isCurrent = match === null || match === '*' || match === `"${bed.version}"`
    if (!isCurrent && !this.#has('ignores If-Match for a bed')) return refusal(412)
    const values = bedIn(given, false)
    if (!values) return refusal(422)
    if (this.#has('does not keep a change of a bed'))
      return Response.json({ ...shownBed(bed), ...values }, { headers })
    const isFree = this.#has('lets a change set the state of a bed') && isObject(given)
    const state = isFree && given.state !== undefined ? { state: String(given.state) } : {}
    Object.assign(bed, values, state, { version: bed.version + 1 })
    return Response.json(shownBed(bed), { headers: { ETag: `"${bed.version}"` } })
  }

  #moveBed(bed: Bed, action: 'open' | 'close'): Response {
    if ((bed.state === 'open') === (action === 'open')) return refusal(409)
    const closed = this.#has('plans a bed again when it is closed') ? 'planned' : 'closed'
    bed.state = action === 'open' ? 'open' : closed
    bed.version += 1
    return Response.json(shownBed(bed))
  }

  #answerTags(bed: Bed, method: string, tag: string | undefined): Response {
    if (tag === undefined) return Response.json(bed.tags)
    const has = bed.tags.includes(tag)
    if (method === 'PUT' && (!has || this.#has('adds a tag twice'))) bed.tags.push(tag)
    if (method === 'DELETE') {
      if (!has) return refusal(404)
      const isAll = this.#has('removes all tags at once')
      if (!this.#has('keeps a removed tag'))
        bed.tags = bed.tags.filter((one) => one !== tag && !isAll)
    }
    return new Response(null, { status: 204 })
  }

  #answerSettings(bed: Bed, method: string, given: unknown): Response {
    if (method === 'GET') return Response.json(bed.settings)
    if (!isObject(given) || Array.isArray(given)) return refusal(422)
    const { interval, limits = [] } = given
    const most = this.#has('accepts too many limits') ? 99 : 3
    const isValid =
      Number.isInteger(interval) &&
      isNumber(interval, this.#has('accepts an interval of zero') ? 0 : 1, 3600) &&
      Array.isArray(limits) &&
      limits.length <= most &&
      limits.every((one) => isObject(one) && isNumber(one.above, 0, 50))
    if (!isValid) return refusal(422)
    const growth = this.#has('keeps the revision of settings') ? 0 : 1
    const settings = { interval, limits, revision: Number(bed.settings.revision) + growth }
    for (const one of this.#has('has the same settings for all beds') ? this.#beds : [bed])
      one.settings = settings
    return Response.json(settings)
  }

  #listSamples({ samples }: Bed, { searchParams }: URL): Response {
    const [limit = '5', cursor = '0'] = ['limit', 'cursor'].map(
      (name) => searchParams.get(name) ?? undefined,
    )
    const [size, place] = [Number(limit), Number(cursor)]
    if (!/^\d+$/.test(limit) || size < 1 || size > 50 || !/^\d+$/.test(cursor)) return refusal(422)
    const shift = place > 0 && this.#has('repeats a sample on the next page') ? 1 : 0
    const end = place + size
    const items = samples.slice(place - shift, end - shift)
    return Response.json({ items, next: end < samples.length ? String(end) : null })
  }

  #addSamples({ samples }: Bed, given: unknown): Response {
    const least = this.#has('accepts a list without samples') ? 0 : 1
    if (!Array.isArray(given) || given.length < least || given.length > 20) return refusal(422)
    const isAny = this.#has('accepts samples of any kind')
    const isSample = (one: unknown): one is JsonObject =>
      isObject(one) &&
      (isAny ? typeof one.kind === 'string' : one.kind === 'soil' || one.kind === 'air') &&
      isNumber(one.value, -50, 50)
    const wrong = given.findIndex((one) => !isSample(one))
    const isPart = this.#has('keeps the samples before one that it refuses')
    const taken = wrong >= 0 && !isPart ? [] : given.slice(0, wrong < 0 ? given.length : wrong)
    const valid = taken.filter(isSample)
    samples.push(...(this.#has('keeps one sample of a list') ? valid.slice(0, 1) : valid))
    if (wrong >= 0) return refusal(422)
    const accepted = given.length - (this.#has('counts samples wrongly') ? 1 : 0)
    return Response.json({ accepted }, { status: 201 })
  }

  #answerJobs(bed: Bed, method: string, id: string | undefined, given: unknown): Response {
    if (id === undefined && method === 'GET') {
      const isMixed = this.#has('lists the jobs of all beds')
      return Response.json(isMixed ? this.#beds.flatMap(({ jobs }) => jobs) : bed.jobs)
    }
    if (id === undefined) {
      const kind = isObject(given) ? given.kind : undefined
      if (kind !== 'rinse' && kind !== 'test') return refusal(422)
      const job = { id: crypto.randomUUID(), kind, status: 'queued' }
      bed.jobs.push(job)
      return Response.json(job, { status: 202 })
    }
    const job = bed.jobs.find((one) => one.id === id)
    if (!job) return refusal(404)
    if (method === 'GET') return Response.json(job)
    if (job.status !== 'queued') return refusal(409)
    if (!this.#has('leaves a cancelled job queued')) job.status = 'cancelled'
    return Response.json({ ...job, status: 'cancelled' })
  }

  #answerTasks({ method, url, path: [id, action], given }: Call): Response {
    if (id === 'bulk') return this.#finishTasks(given)
    if (id === undefined && method === 'GET') return this.#listTasks(url)
    const { title, note, kind } = isObject(given) ? given : {}
    if (id === undefined) {
      if (!isKind(kind) || !isText(title, 60)) return refusal(422)
      return Response.json(this.#addTask({ kind, title }), { status: 201 })
    }
    const task = this.#tasks.find((one) => one.id === id)
    if (!task) return refusal(404)
    if (action === 'finish' || action === 'reopen') return this.#moveTask(task, action)
    if (action === 'comment') return this.#commentTask(task, note)
    return method === 'PATCH' ? changeTask(task, given) : Response.json(task)
  }

  #moveTask(task: JsonObject, action: 'finish' | 'reopen'): Response {
    if ((task.status === 'open') === (action === 'reopen')) return refusal(409)
    const isLost = action === 'reopen' && this.#has('reopens nothing')
    const status = action === 'finish' ? 'finished' : 'open'
    return Response.json(isLost ? task : Object.assign(task, { status }))
  }

  #commentTask(task: JsonObject, note: unknown): Response {
    if (!isText(note, 60)) return refusal(422)
    if (!this.#has('forgets the note of a task')) Object.assign(task, { note })
    return Response.json(task)
  }

  #listTasks({ searchParams }: URL): Response {
    const kinds = searchParams.getAll('kind')
    if (!kinds.every(isKind)) return refusal(422)
    const wanted = this.#has('filters by the first of several kinds') ? kinds.slice(0, 1) : kinds
    const isWanted = ({ kind }: JsonObject): boolean => wanted.includes(String(kind))
    return Response.json(this.#tasks.filter((one) => wanted.length === 0 || isWanted(one)))
  }

  #finishTasks(given: unknown): Response {
    const ids = isObject(given) ? given.ids : undefined
    const isList = Array.isArray(ids) && ids.length > 0 && ids.length <= 20
    if (!isList || !ids.every((one) => typeof one === 'string')) return refusal(422)
    const isShort = this.#has('finishes all tasks but the last')
    const isForAll = this.#has('finishes tasks that it does not get')
    const done = isShort ? ids.slice(0, -1) : ids
    for (const task of this.#tasks)
      if (isForAll || done.some((id) => id === task.id)) Object.assign(task, { status: 'finished' })
    const results = ids.map((id) => ({ id, status: 'finished' }))
    const isCut = this.#has('has no result for the last task')
    return Response.json({ results: isCut ? results.slice(0, -1) : results })
  }
}

/** What a request says. */
interface Call {
  readonly method: string
  readonly url: URL
  readonly path: readonly string[]
  readonly given: unknown
  readonly headers: Headers
}

function shownBed({ id, title, notes, state }: Bed): JsonObject {
  return { id, title, notes, state }
}

function bedIn(given: unknown, isNew: boolean): JsonObject | undefined {
  if (!isObject(given) || Array.isArray(given)) return undefined
  const { title, notes } = given
  const hasTitle = isText(title, 60) || (!isNew && title === undefined)
  const hasNotes = notes === undefined || notes === null || notes === '' || isText(notes, 200)
  const all = Object.entries({ title, notes })
  return hasTitle && hasNotes
    ? Object.fromEntries(all.filter(([, one]) => one !== undefined))
    : undefined
}

function changeTask(task: JsonObject, given: unknown): Response {
  if (!isObject(given) || Array.isArray(given)) return refusal(422)
  const { title } = given
  if (title !== undefined && !isText(title, 60)) return refusal(422)
  return Response.json(title === undefined ? task : Object.assign(task, { title }))
}

function isKind(value: unknown): value is string {
  return ['water', 'prune', 'harvest'].some((one) => one === value)
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value !== '' && [...value].length <= most
}

function isNumber(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && value >= least && value <= most
}

function refusal(status: number): Response {
  return Response.json({ title: 'Refused.' }, { status })
}

export const GREENHOUSE: FaultyService = {
  what: 'a service with records at paths of their own, parts of records and lists in bodies',
  base: 'https://greenhouse.example/v1',
  options: { key: 'key-of-ann', writes: true },
  document: GREENHOUSE_DOCUMENT,
  faults: FAULTS,
  seenElsewhere: ['repeats a sample on the next page'],
  create: (fault) => new Greenhouse(fault),
}
