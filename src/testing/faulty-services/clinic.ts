import type { JsonObject } from '../../document/json-value.ts'
import { isObject } from '../../validation/objects.ts'
import { PATIENT, problemIn, type Rules, VISIT } from './clinic-rules.ts'
import type { FaultyService } from './faulty-service.ts'

/** The faults of the clinic, each with a check that sees it. */
const FAULTS: Readonly<Record<string, string>> = {
  'a doctor without a speciality on a later page': 'listDoctors/200/body',
  'an empty list becomes null': 'createPatient/values/empty/shown',
  'the Location of the collection': 'createPatient/location',
  'the Location of another record': 'createPatient/location',
  '500 for a word as id': 'getPatient/id=abc',
  'the wrong patient_id': 'createVisit/parents',
  'the read has another name than the list': 'getPatient/listed/same',
  'no born_on is needed': 'createPatient/a-missing-born_on',
  'any type of family_name': 'createPatient/family_name=12',
  'any length of family_name': 'createPatient/family_name=""',
  'any form of record_number': 'createPatient/record_number=12',
  'any born_on': 'createPatient/born_on=12',
  'any blood_type': 'createPatient/blood_type=12',
  'any weight': 'createPatient/weight="abc"',
  'any type of insured': 'createPatient/insured="abc"',
  'any number of allergies': 'createPatient/21-allergies',
  'any items of allergies': 'createPatient/allergies=[12]',
  'no contact.phone is needed': 'createPatient/a-missing-contact.phone',
  'any form of contact.phone': 'createPatient/contact.phone=12',
  'any reason': 'createVisit/reason=12',
  'any minutes': 'createVisit/minutes="abc"',
  '500 for broken JSON': 'createPatient/no-body',
  'bodies without their envelope': 'createPatient/a-record-that-is-not-in-patient',
  'a change needs every property': 'updatePatient/part',
  'clients set created_at': 'createPatient/read-only',
  'cuts notes': 'getPatient/created',
  'changes family_name': 'getPatient/created',
  'loses contact.street': 'getPatient/created',
  'rounds weight': 'getPatient/created',
  'loses insured': 'createPatient/values/unusual/shown',
  'born_on a day earlier': 'getPatient/created',
  'starts_at an hour later': 'getVisit/created',
  'takes a record_number twice': 'createPatient/conflict',
  '422 for a record_number that is taken': 'createPatient/conflict',
  'a change takes a record_number twice': 'updatePatient/conflict',
  'a change loses contact': 'updatePatient/kept',
  'a change keeps notes': 'updatePatient/cleared',
  'a change adds to allergies': 'getPatient/after/updatePatient',
  'a change is for the next patient, too': 'updatePatient/others',
  'a change is not kept': 'listPatients/after/updatePatient',
  'a removal is not done': 'listPatients/after/deletePatient',
  'a removal is for the newest patient, too': 'deletePatient/others',
  'visits of all patients': 'listVisits/parent',
  'visits below any patient': 'getVisit/parent',
  'a change is for all visits': 'replaceVisit/others',
  'changes visits of other patients': 'replaceVisit/wrong-parent',
  'others list patients': 'listPatients/other-key-list',
  'others remove patients': 'deletePatient/other-key',
  'pages of five': 'listDoctors/walk/default',
  'pages from zero': 'listPatients/created',
  'one page too few is stated': 'listPatients/walk/pages',
  'the next page is the same': 'listPatients/walk/place',
  'pages that are not full are not counted': 'listPatients/pages',
  'a page after a full last one': 'listPatients/walk/single',
  'the search is ignored': 'listPatients/q=absent',
  'the first page again after the last': 'listPatients/walk/end',
}

const KEYS: Readonly<Record<string, string>> = { 'token-of-ann': 'ann', 'token-of-eve': 'eve' }

/** Thrown to answer with an error. */
class Refusal {
  readonly status: number
  readonly title: string

  constructor(status: number, title: string) {
    this.status = status
    this.title = title
  }
}

interface Patient {
  readonly owner: string
  value: JsonObject
}

interface Visit {
  readonly patient: number
  value: JsonObject
}

/** A clinic: records in envelopes with numbers that no two have, pages with numbers, and visits below patients. */
class Clinic {
  readonly #fault: string
  #patients: Patient[] = []
  #visits: Visit[] = []
  readonly #doctors: readonly JsonObject[]
  #lastId = 0

  constructor(fault = 'none') {
    this.#fault = fault
    const isWrong = this.#has('a doctor without a speciality on a later page')
    this.#doctors = Array.from({ length: 13 }, (_, at) => ({
      id: at + 1,
      name: `Doctor ${at}`,
      speciality: isWrong && at === 12 ? null : ['surgery', 'dentistry', 'general'][at % 3],
    }))
    const names = ['Zander', 'Meier', 'Abel', 'Okoro', 'Ivanova', 'Suzuki', 'Lopez']
    names.forEach((family_name, at) => {
      const patient = this.#addPatient('ann', {
        ...{ record_number: `AB-10000${at}`, family_name, born_on: `198${at}-04-11` },
        ...{ blood_type: ['A', 'B', 'AB', '0'][at % 4], allergies: ['nuts'] },
      })
      for (const status of ['planned', 'done'])
        this.#addVisit(Number(patient.id), {
          ...{ reason: 'Check-up', starts_at: '2026-05-01T09:00:00Z', status },
        })
    })
    this.#addPatient('eve', { record_number: 'ZZ-000001', family_name: 'E', born_on: '1990-01-01' })
  }

  /** What is stored. */
  get records(): readonly JsonObject[] {
    return [...this.#patients, ...this.#visits].map(({ value }) => value)
  }

  async fetch(request: Request): Promise<Response> {
    try {
      return this.#answer(request, await request.text())
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return json({ errors: [{ title: error.title }] }, error.status)
    }
  }

  #has(fault: string): boolean {
    return this.#fault === fault
  }

  #answer(request: Request, text: string): Response {
    const { pathname, searchParams } = new URL(request.url)
    const [, , name, id, below, visit, ...rest] = pathname.split('/')
    const user = KEYS[/^Bearer (.*)/.exec(request.headers.get('Authorization') ?? '')?.[1] ?? '']
    const isKnown = name === 'doctors' ? below === undefined : name === 'patients'
    if (!isKnown || rest.length > 0 || (below !== undefined && below !== 'visits'))
      throw new Refusal(404, 'There is nothing here.')
    if (user === undefined) throw new Refusal(401, 'The token is missing or wrong.')
    const { method } = request
    if (name === 'doctors') return this.#answerDoctors(id, searchParams)
    if (id === undefined)
      return method === 'GET'
        ? this.#listPatients(user, searchParams)
        : this.#createPatient(user, text)
    const patient = this.#patient(this.#number(id), user, `${method} ${below ?? ''}`)
    if (below === undefined) return this.#answerPatient(patient, method, text)
    if (visit !== undefined) return this.#answerVisit(patient, this.#number(visit), method, text)

    return method === 'GET'
      ? this.#listVisits(patient, searchParams)
      : this.#createVisit(patient, text)
  }

  #number(text: string): number {
    if (/^\d+$/.test(text)) return Number(text)
    throw new Refusal(this.#has('500 for a word as id') ? 500 : 404, 'The id is no number.')
  }

  #patient(id: number, user: string, what: string): Patient {
    const found = this.#patients.find(({ value }) => value.id === id)
    const isOpen = this.#has('others remove patients') && what === 'DELETE '
    if (found && (found.owner === user || isOpen)) return found
    throw new Refusal(404, 'There is no such patient.')
  }

  #answerDoctors(id: string | undefined, query: URLSearchParams): Response {
    if (id === undefined) return this.#page('doctors', this.#doctors, query)
    const found = this.#doctors.find((one) => one.id === this.#number(id))
    if (!found) throw new Refusal(404, 'There is no such doctor.')
    return json({ doctor: found })
  }

  #listPatients(user: string, query: URLSearchParams): Response {
    const [blood, search, sort = ''] = ['blood_type', 'q', 'sort'].map(
      (name) => query.get(name) ?? undefined,
    )
    const by = sort.replace(/^-/, '')
    const isKnown = ['', 'family_name', 'born_on'].includes(by)
    if (!isKnown || (blood && !PATIENT.blood_type?.members?.includes(blood)))
      throw new Refusal(400, 'The query is not valid.')
    const isSearch = search !== undefined && !this.#has('the search is ignored')
    const found = this.#patients
      .filter(({ owner }) => owner === user || this.#has('others list patients'))
      .map(({ value }) => this.#shown(value))
      .filter((one) => blood === undefined || one.blood_type === blood)
      .filter((one) => !isSearch || String(one.family_name).includes(search))
    const sign = sort.startsWith('-') ? -1 : 1
    if (by !== '') found.sort((one, other) => sign * (String(one[by]) < String(other[by]) ? -1 : 1))
    return this.#page('patients', found, query)
  }

  #createPatient(user: string, text: string): Response {
    const sent = this.#patientIn(text, false)
    const taken = this.#patients.some(({ value }) => value.record_number === sent.record_number)
    const isTakenTwice = this.#has('takes a record_number twice')
    if (taken && !isTakenTwice)
      throw new Refusal(
        this.#has('422 for a record_number that is taken') ? 422 : 409,
        'The record_number is taken.',
      )
    const value = this.#addPatient(user, sent)
    const place = this.#has('the Location of another record') ? Number(value.id) - 1 : value.id
    const path = this.#has('the Location of the collection') ? '' : `/${place}`

    return json({ patient: this.#shown(value) }, 201, { Location: `/api/patients${path}` })
  }

  #answerPatient(patient: Patient, method: string, text: string): Response {
    const { value } = patient
    if (method === 'PATCH') return this.#changePatient(patient, text)
    if (method === 'DELETE') return this.#removePatient(patient)
    const isOther = this.#has('the read has another name than the list')
    const shown = this.#shown(value)

    return json(
      { patient: isOther ? { ...shown, family_name: `${value.family_name} (patient)` } : shown },
      200,
      { ETag: `"${btoa(encodeURIComponent(JSON.stringify(shown)))}"` },
    )
  }

  #changePatient(patient: Patient, text: string): Response {
    const { value } = patient
    const sent = this.#patientIn(text, !this.#has('a change needs every property'))
    const others = this.#patients.filter((one) => one !== patient)
    const taken = others.some((one) => one.value.record_number === sent.record_number)
    if (taken && !this.#has('a change takes a record_number twice'))
      throw new Refusal(409, 'The record_number is taken.')
    const changed: Record<string, unknown> = { ...value, ...sent }
    const [before, added] = [value.allergies, sent.allergies]
    if (this.#has('a change adds to allergies') && Array.isArray(before) && Array.isArray(added))
      changed.allergies = [...before, ...added]
    if (this.#has('a change keeps notes') && sent.notes === null) changed.notes = value.notes
    if (this.#has('a change loses contact') && !sent.contact) delete changed.contact
    if (!this.#has('a change is not kept')) patient.value = changed
    const next = this.#patients[this.#patients.indexOf(patient) + 1]
    if (this.#has('a change is for the next patient, too') && next)
      next.value = { ...next.value, ...sent, record_number: next.value.record_number }

    return json({ patient: this.#shown(changed) })
  }

  #removePatient(patient: Patient): Response {
    if (this.#visits.some((one) => one.patient === patient.value.id))
      throw new Refusal(409, 'The patient has visits.')
    if (!this.#has('a removal is not done'))
      this.#patients = this.#patients.filter((one) => one !== patient)
    if (this.#has('a removal is for the newest patient, too')) this.#patients.pop()

    return new Response(null, { status: 204 })
  }

  #listVisits(patient: Patient, query: URLSearchParams): Response {
    const status = query.get('status')
    if (status !== null && !VISIT.status?.members?.includes(status))
      throw new Refusal(400, 'The status is not valid.')
    const isMixed = this.#has('visits of all patients')
    const found = this.#visits
      .filter((one) => isMixed || one.patient === patient.value.id)
      .map(({ value }) => value)
    return this.#page(
      'visits',
      found.filter((one) => status === null || one.status === status),
      query,
    )
  }

  #createVisit({ value: { id } }: Patient, text: string): Response {
    const value = this.#addVisit(Number(id), this.#visitIn(text))
    const shown = this.#has('the wrong patient_id') ? { ...value, patient_id: value.id } : value
    return json({ visit: shown }, 201)
  }

  #answerVisit({ value: { id } }: Patient, number: number, method: string, text: string): Response {
    const isAnywhere =
      this.#has('visits below any patient') ||
      (this.#has('changes visits of other patients') && method === 'PUT')
    const found = this.#visits.find(
      (one) => one.value.id === number && (isAnywhere || one.patient === id),
    )
    if (!found) throw new Refusal(404, 'There is no such visit.')
    if (method === 'GET') return json({ visit: found.value })
    if (method === 'DELETE') {
      this.#visits = this.#visits.filter((one) => one !== found)
      return new Response(null, { status: 204 })
    }
    const sent = this.#visitIn(text)
    const changed = this.#has('a change is for all visits') ? this.#visits : [found]
    for (const one of changed)
      one.value = { minutes: 30, ...sent, id: one.value.id, patient_id: one.patient }

    return json({ visit: found.value })
  }

  #addPatient(owner: string, given: JsonObject): JsonObject {
    this.#lastId += 1
    const usual = { insured: true, notes: null, created_at: '2026-02-03T08:00:00Z' }
    const value = { ...usual, ...given, id: this.#lastId }
    this.#patients.push({ owner, value })
    return value
  }

  #addVisit(patient: number, given: JsonObject): JsonObject {
    this.#lastId += 1
    const value = { minutes: 30, ...given, id: this.#lastId, patient_id: patient }
    this.#visits.push({ patient, value })
    return value
  }

  #shown(value: JsonObject): JsonObject {
    const count = this.#visits.filter((one) => one.patient === value.id).length
    const shown: JsonObject = { ...value, visit_count: count }
    const isEmpty = Array.isArray(value.allergies) && value.allergies.length === 0
    return isEmpty && this.#has('an empty list becomes null')
      ? { ...shown, allergies: null }
      : shown
  }

  #patientIn(text: string, isPart: boolean): JsonObject {
    const { id: _, visit_count: __, created_at, ...sent } = this.#recordIn(text, 'patient')
    this.#require(sent, PATIENT, isPart)
    const { contact, born_on: born, insured, ...others } = sent
    const stored: Record<string, unknown> = { ...others }
    if (this.#has('clients set created_at') && created_at) stored.created_at = created_at
    if (this.#has('cuts notes')) stored.notes = String(sent.notes ?? '').slice(0, 9)
    if (this.#has('changes family_name') && sent.family_name)
      stored.family_name = String(sent.family_name).toUpperCase()
    if (this.#has('rounds weight') && sent.weight) stored.weight = Math.floor(Number(sent.weight))
    if (isObject(contact))
      stored.contact = this.#has('loses contact.street') ? { phone: contact.phone } : contact
    if (insured !== undefined && !this.#has('loses insured')) stored.insured = insured
    const earlier = this.#has('born_on a day earlier') ? 24 * 3_600_000 : 0
    if (born !== undefined) stored.born_on = moved(born, -earlier).slice(0, 10)

    return stored
  }

  #visitIn(text: string): JsonObject {
    const { id: _, patient_id: __, ...sent } = this.#recordIn(text, 'visit')
    this.#require(sent, VISIT, false)
    return this.#has('starts_at an hour later')
      ? { ...sent, starts_at: moved(sent.starts_at, 3_600_000) }
      : sent
  }

  #require(record: JsonObject, rules: Rules, isPart: boolean): void {
    const problem = problemIn(record, rules, { isPart, fault: this.#fault })
    if (problem !== undefined) throw new Refusal(422, problem)
  }

  #recordIn(text: string, envelope: string): JsonObject {
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      throw new Refusal(this.#has('500 for broken JSON') ? 500 : 422, 'The body is no JSON.')
    }
    const record = isObject(body) ? body[envelope] : undefined
    if (isObject(record) && !Array.isArray(record)) return record
    if (this.#has('bodies without their envelope') && isObject(body)) return body
    throw new Refusal(422, `${envelope} must be an object.`)
  }

  #page(name: string, all: readonly JsonObject[], query: URLSearchParams): Response {
    const number = (parameter: string, preset: number, most: number): number => {
      const text = query.get(parameter) ?? String(preset)
      if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= most) return Number(text)
      throw new Refusal(400, `${parameter} is not valid.`)
    }
    const page = number('page', 1, Number.MAX_SAFE_INTEGER)
    const size = number('per_page', this.#has('pages of five') ? 5 : 10, 50)
    const pages = Math.ceil(all.length / size)
    const full = Math.floor(all.length / size)
    const counted = this.#has('pages that are not full are not counted') ? full : pages
    const isMore = this.#has('a page after a full last one') && page === pages && page === full
    const isAgain = this.#has('the first page again after the last') && page > pages
    const start = (isAgain ? 0 : page - (this.#has('pages from zero') ? 0 : 1)) * size
    const next = this.#has('the next page is the same') ? page : page + 1
    const meta = {
      current_page: page,
      total_pages: this.#has('one page too few is stated') ? pages - 1 : counted,
      total_count: all.length,
      next_page: page < pages || isMore ? next : null,
    }
    return json({ [name]: all.slice(start, start + size), meta })
  }
}

/** A date or a moment as text, some milliseconds later. */
function moved(text: unknown, by: number): string {
  const time = Date.parse(String(text))
  return by === 0 || Number.isNaN(time) ? String(text) : new Date(time + by).toISOString()
}

function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers })
}

export const CLINIC: FaultyService = {
  what: 'a service with numbers that no two records may have',
  base: 'https://clinic.example/api',
  options: { key: 'token-of-ann', otherKey: 'token-of-eve', writes: true },
  document: 'src/testing/faulty-services/clinic.yaml',
  faults: FAULTS,
  create: (fault) => new Clinic(fault),
}
