import { describe, expect, it } from 'vitest'
import { createSandbox } from '../../sandbox/sandbox.ts'
import { type DocumentedApi, type OpenedApi, openApi } from '../../testing/documented-api.ts'
import type { FirstRecords } from '../start-of.ts'

const INTEGER = { type: 'integer' }
const TEXT = { type: 'string' }

const TASK = {
  type: 'object',
  required: ['id', 'title'],
  properties: { id: { type: 'string', example: 'tsk_8fK2mQ' }, title: TEXT },
}
const SENT = { type: 'object', properties: { title: TEXT } }
const PAGE = {
  type: 'object',
  required: ['data', 'total', 'next_page'],
  properties: {
    data: { type: 'array', items: TASK },
    total: INTEGER,
    next_page: { type: ['integer', 'null'] },
  },
}
const PAGED = { page: INTEGER, per_page: { ...INTEGER, default: 8 } }

const API: DocumentedApi = {
  'GET /tasks': { shown: PAGE, query: PAGED },
  'POST /tasks': { sent: SENT, shown: TASK, status: [201] },
  'GET /tasks/{id}': { shown: TASK },
  'DELETE /tasks/{id}': { status: [204] },
}

interface TaskPage {
  readonly data: readonly { readonly id: string; readonly title: string }[]
  readonly total: number
  readonly next_page: number | null
}

async function pageOf(api: OpenedApi, page = 1): Promise<TaskPage> {
  const { body } = await api.ask<TaskPage>(`GET /tasks?page=${page}`)
  return body
}

describe('a list with pages', () => {
  it('starts with two of them, and its total and links say so', async () => {
    const api = await openApi(API)

    const [first, second] = [await pageOf(api), await pageOf(api, 2)]

    expect(first).toMatchObject({ total: 16, next_page: 2 })
    expect(second).toMatchObject({ total: 16, next_page: null })
    expect(new Set([...first.data, ...second.data].map(({ id }) => id)).size).toBe(16)
  })

  it('begins with what requests added, the latest first, whatever its id is', async () => {
    const api = await openApi(API)
    const before = await pageOf(api)
    for (const title of ['One', 'Two']) {
      api.sandbox.clock.advance('1s')
      await api.ask('POST /tasks', { title })
    }

    const { data, total } = await pageOf(api)

    expect(total).toBe(18)
    expect(data.map(({ title }) => title).slice(0, 2)).toEqual(['Two', 'One'])
    expect(data.slice(2)).toEqual(before.data.slice(0, 6))
  })

  it('is the same in a sandbox that is restored from a snapshot', async () => {
    const api = await openApi(API)
    await api.ask('POST /tasks', { title: 'One' })
    const contract = api.sandbox.contract
    const restored = createSandbox({ contract })
    await restored.restore(await api.sandbox.snapshot())

    const response = await restored.fetch(new Request('http://localhost/tasks?page=1'))

    expect(await response.json()).toEqual(await pageOf(api))
  })

  it.each<FirstRecords>([0, 3, { tasks: [{ id: 'tsk_000000', title: 'Given' }] }])(
    'is in the order of the ids where somebody says what it starts with: %j',
    async (records) => {
      const api = await openApi(API, { records })
      for (const title of ['One', 'Two']) await api.ask('POST /tasks', { title })

      const { data } = await pageOf(api)

      const ids = data.map(({ id }) => id)
      expect(ids).toEqual([...ids].sort())
    },
  )

  it('leaves room on its page where the document sorts it', async () => {
    const api = await openApi({
      ...API,
      'GET /tasks': {
        ...API['GET /tasks'],
        query: { ...PAGED, sort: { type: 'string', enum: ['title'], default: 'title' } },
      },
    })

    expect(await pageOf(api)).toMatchObject({ total: 5, next_page: null })
  })
})
