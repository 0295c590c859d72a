import { documentedResponse } from '../../contract/documented-response.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { type Evaluation, passIf } from '../checks/check.ts'
import { confirmed, shows, type Values } from '../checks/shown-values.ts'
import { isWhole } from '../checks/whole-list.ts'
import { isGone, isSuccess, type ProbeResponse } from '../messages.ts'
import { createdId, idIn, pathOf, recordsAt } from '../record-address.ts'
import type { Command } from './commands.ts'

/** A record that a sequence created, as the service has to keep it. */
export interface KnownRecord {
  readonly create: ResourceBinding
  /** The response to its creation. */
  readonly created: ProbeResponse
  readonly id: string
  values: Values
  isRemoved: boolean
}

/** What the records are after the requests of a sequence, and what the service has to say of them. */
export class RecordModel {
  readonly #records: KnownRecord[] = []

  /** A record of the collection of a command; `undefined` when there is none. */
  find({ create, at }: Command): KnownRecord | undefined {
    const own = this.#records.filter((one) => one.create === create).reverse()
    return own[at % own.length]
  }

  /** The records that exist, the newest first. */
  get newestFirst(): readonly KnownRecord[] {
    return this.#records.filter((one) => !one.isRemoved).reverse()
  }

  /** Learns from a response to a command, and judges it. */
  next(command: Command, response: ProbeResponse, record: KnownRecord | undefined): Evaluation {
    const { kind, binding } = command
    if (!binding) return 'passed'
    switch (kind) {
      case 'create':
        return this.#create(binding, response)
      case 'read':
        return record ? this.#read(binding, response, record) : 'passed'
      case 'change':
        return record ? this.#change(binding, response, record) : 'passed'
      case 'remove':
        return record ? this.#remove(response, record) : 'passed'
      case 'list':
        return this.#list(binding, response)
      default:
        return 'passed'
    }
  }

  #create(create: ResourceBinding, created: ProbeResponse): Evaluation {
    const id = isSuccess(created) ? createdId(created, create) : undefined
    if (id === undefined) return 'passed'
    const other = this.#records.find((one) => isSamePlace(one, created) && one.id === id)
    if (other && !other.isRemoved) return passIf(false, created, 'an id that no record has')
    const values = confirmed(created, create)
    this.#records.push({ create, created, id, values, isRemoved: false })
    return 'passed'
  }

  #read(read: ResourceBinding, found: ProbeResponse, record: KnownRecord): Evaluation {
    if (record.isRemoved) {
      const isDocumented = documentedResponse(read.operation, 404) !== undefined
      return passIf(!(isDocumented && isSuccess(found)), found, '404 for a removed record')
    }
    if (isGone(found)) return passIf(false, found, `the record ${record.id}`)
    return isSuccess(found)
      ? shows(found, read, record.values, 'as it was created or changed')
      : 'passed'
  }

  #change(change: ResourceBinding, changed: ProbeResponse, record: KnownRecord): Evaluation {
    if (record.isRemoved) return 'passed'
    if (isGone(changed)) return passIf(false, changed, `a change of the record ${record.id}`)
    if (!isSuccess(changed)) return 'passed'
    const sent = confirmed(changed, change)
    const names = new Set(sent.map(([name]) => name))
    // What a PUT does not name may get a default.
    const kept =
      change.operation.method === 'PATCH' ? record.values.filter(([name]) => !names.has(name)) : []
    record.values = [...kept, ...sent]
    return 'passed'
  }

  #remove(removed: ProbeResponse, record: KnownRecord): Evaluation {
    if (record.isRemoved) return 'passed'
    if (isGone(removed)) return passIf(false, removed, `a removal of the record ${record.id}`)
    if (!isSuccess(removed)) return 'passed'
    record.isRemoved = true
    const start = `${placeOf(record.created)}/${encodeURIComponent(record.id)}/`
    for (const one of this.#records) {
      if (one.created.request.target.startsWith(start)) one.isRemoved = true
    }
    return 'passed'
  }

  #list(list: ResourceBinding, listed: ProbeResponse): Evaluation {
    const records = isSuccess(listed) ? recordsAt(listed, list) : undefined
    if (!records || !isWhole(listed, list)) return 'passed'
    const ids = records.map((one) => idIn(one, list))
    if (records.length > 0 && ids.every((id) => id === undefined)) return 'passed'
    const here = this.#records.filter((one) => isSamePlace(one, listed))
    const missing = here.find((one) => !one.isRemoved && !ids.includes(one.id))
    if (missing) return passIf(false, listed, `a list with the record ${missing.id}`)
    const again = here.find((one) => one.isRemoved && ids.includes(one.id))

    return passIf(!again, listed, `a list without the removed record ${again?.id}`)
  }
}

/** Whether a request was for the collection in which a record was created. */
function isSamePlace({ created }: KnownRecord, response: ProbeResponse): boolean {
  return placeOf(created) === placeOf(response)
}

function placeOf({ request }: ProbeResponse): string {
  return pathOf(request.target).replace(/\/$/, '')
}
