import type { Resource } from '../../resources/bind.ts'
import type { Row } from '../row.ts'

/** A resource, by its path. */
interface Located {
  readonly path: string
}

/** What a target has told of its records so far, by their resource. */
export class Known {
  readonly #lists = new Map<string, { rows: readonly Row[]; isComplete: boolean }>()
  readonly #created = new Map<string, Row>()
  readonly #ids = new Map<string, Set<unknown>>()
  readonly #news = new WeakSet<Row>()

  /** The longest list of a resource so far. */
  list({ path }: Located): { readonly rows: readonly Row[]; readonly isComplete: boolean } {
    return this.#lists.get(path) ?? { rows: [], isComplete: false }
  }

  /** Takes note of a list; `isComplete` when it holds every record. */
  listed(resource: Resource, rows: readonly Row[], isComplete: boolean): void {
    for (const row of rows) this.#idsOf(resource).add(row[resource.id])
    const { rows: before } = this.list(resource)
    if (isComplete || rows.length > before.length) {
      this.#lists.set(resource.path, { rows, isComplete })
    }
  }

  /** The record that was created last; only records of our own are replaced or removed. */
  created({ path }: Located): Row | undefined {
    return this.#created.get(path)
  }

  /** Takes note of a record that was created. */
  create(resource: Resource, row: Row): void {
    const { path, id } = resource
    const ids = this.#idsOf(resource)
    if (row[id] !== undefined && !ids.has(row[id])) this.#news.add(row)
    ids.add(row[id])
    this.#created.set(path, row)
    const { rows, isComplete } = this.list(resource)
    this.#lists.set(path, { rows: [...rows, row], isComplete })
  }

  /** Whether a record that was created had an id that no record was known to have. */
  isNew(row: Row): boolean {
    return this.#news.has(row)
  }

  #idsOf({ path }: Located): Set<unknown> {
    const ids = this.#ids.get(path) ?? new Set()
    this.#ids.set(path, ids)
    return ids
  }

  /** Takes note that the record created last is gone. */
  forget(resource: Resource): void {
    const { path } = resource
    const { rows, isComplete } = this.list(resource)
    const gone = this.#created.get(path)?.[resource.id]
    this.#lists.set(path, { rows: rows.filter((row) => row[resource.id] !== gone), isComplete })
    this.#created.delete(path)
  }
}
