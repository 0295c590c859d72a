import type { RecordCollection } from '../resources/record-collection.ts'

/** A collection whose code is loaded when it is first used: most pages only send requests. */
export function lazyCollection(open: () => Promise<RecordCollection>): RecordCollection {
  let opened: Promise<RecordCollection> | undefined
  const collection = (): Promise<RecordCollection> => {
    opened ??= open()
    return opened
  }
  return {
    count: async () => (await collection()).count(),
    list: async (query) => (await collection()).list(query),
    get: async (id) => (await collection()).get(id),
    create: async (values) => (await collection()).create(values),
    update: async (id, changes) => (await collection()).update(id, changes),
    remove: async (id) => (await collection()).remove(id),
  }
}
