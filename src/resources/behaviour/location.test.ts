import { describe, expect, test } from 'vitest'
import { createSandbox } from '../../sandbox/sandbox.ts'
import { type DocumentedApi, openApi } from '../../testing/documented-api.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const BOOK = objectOf({ id: { type: 'integer' }, title: { type: 'string' } })
const SENT = objectOf(['title'])

describe('the Location of a new record', () => {
  test.each<[title: string, collection: string, item: string]>([
    ['leads to it', '/books', '/books/{id}'],
    ['ends with a slash where the path does', '/books/', '/books/{id}/'],
    ['ends with the format where the path does', '/books.json', '/books/{id}.json'],
  ])('%s', async (_title, collection, item) => {
    const api: DocumentedApi = {
      [`POST ${collection}`]: { sent: SENT, shown: BOOK, status: [201] },
      [`GET ${item}`]: { shown: BOOK, status: [200, 404] },
    }
    const { ask } = await openApi(api)

    const { body: made, headers } = await ask(`POST ${collection}`, { title: 'Emma' })
    const { pathname } = new URL(headers.get('location') ?? '')

    expect(pathname).toBe(item.replace('{id}', String(made.id)))
    expect((await ask(`GET ${pathname}`)).body).toEqual(made)
  })

  test.each<[title: string, parameter: string, named: string]>([
    ['the name of the parameter', 'slug', 'old-town'],
    ['the name of the parameter without the word of the records', 'project_slug', 'old-town'],
    ['the name that a number in the record is not', 'project', 'old-town'],
  ])('and its link to itself name it by %s', async (_title, parameter, named) => {
    const text = { type: 'string' } as const
    const id = parameter === 'project' ? ({ type: 'integer' } as const) : text
    const shown = objectOf({ id, slug: text, name: text, href: text })
    const { ask } = await openApi({
      'GET /projects': { shown: listOf(shown) },
      'POST /projects': { sent: objectOf(['name']), shown, status: [201] },
      [`GET /projects/{${parameter}}/`]: { shown, status: [200, 404] },
      [`PATCH /projects/{${parameter}}/`]: { sent: objectOf(['name', 'slug']), shown },
    })

    const { body, headers } = await ask('POST /projects', { name: 'Old Town' })

    expect(headers.get('location')).toBe(`http://localhost/projects/${named}/`)
    expect(body.href).toBe(`http://localhost/projects/${named}/`)
    expect((await ask(`GET /projects/${named}/`)).body).toEqual(body)
  })

  test('names the records above as the path of the request does, also where these are stored by another id', async () => {
    const number = { type: 'integer' } as const
    const text = { type: 'string' } as const
    const repo = { ...objectOf({ id: number, name: text }), required: ['id', 'name'] }
    const comment = objectOf({ id: number, body: text, author: text, created_at: text })
    const { ask } = await openApi({
      'GET /repos': { shown: listOf(repo) },
      'POST /repos': { sent: objectOf(['name']), shown: repo, status: [201] },
      'GET /repos/{repo}': { shown: repo },
      'PATCH /repos/{repo}': { sent: objectOf(['name']), shown: repo },
      'POST /repos/{repo}/issues/{issue}/comments': {
        ...{ sent: objectOf(['body']), shown: comment, status: [201] },
      },
      'GET /repos/{repo}/issues/{issue}/comments': { shown: listOf(comment) },
      'GET /repos/{repo}/issues/comments': { shown: listOf(comment) },
      'GET /repos/{repo}/issues/comments/{comment_id}': {
        ...{ shown: comment, path: { comment_id: number } },
      },
    })
    await ask('POST /repos', { name: 'api' })

    const { body, headers } = await ask('POST /repos/api/issues/2/comments', { body: 'Hi' })
    const { pathname } = new URL(headers.get('location') ?? '')

    expect(pathname).toBe(`/repos/api/issues/comments/${body.id}`)
    expect((await ask(`GET ${pathname}`)).body).toEqual(body)
  })

  test('is not sent where no path leads to it', async () => {
    const { ask } = await openApi({
      'GET /books': { shown: listOf(BOOK) },
      'POST /books': { sent: SENT, shown: BOOK, status: [201] },
    })

    const { status, headers } = await ask('POST /books', { title: 'Emma' })

    expect(status).toBe(201)
    expect(headers.has('location')).toBe(false)
  })

  test('is sent where the document declares it', async () => {
    const content = { 'application/json': { schema: SENT } }
    const headers = { Location: { schema: { type: 'string' } } }
    const list = { 'application/json': { schema: listOf(BOOK) } }
    const contract = await loadDocumentOf({
      '/books': {
        get: { responses: { 200: { description: 'All', content: list } } },
        post: {
          requestBody: { content },
          responses: { 201: { description: 'New', headers } },
        },
      },
    })
    const [body, method] = [JSON.stringify({ title: 'Emma' }), 'POST']

    const response = await createSandbox({ contract }).fetch(
      new Request('http://localhost/books', {
        ...{ method, body },
        headers: { 'Content-Type': 'application/json' },
      }),
    )

    expect(response.headers.get('location')).toMatch(/^http:\/\/localhost\/books\/.+/)
  })
})
