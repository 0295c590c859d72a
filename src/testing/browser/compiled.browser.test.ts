import { describe, expect, test } from 'vitest'
import { compileModule } from '../../codegen/compiled-module.ts'
import { loadContract } from '../../document/load-contract.ts'
import { openInBrowser, servePage } from '../page-server.ts'
import { bundleScript } from '../site.ts'

const CREATION = `
import { createSandbox } from './script.js'
import { contract } from './contract.js'
const sandbox = createSandbox({ contract, records: 0 })
const request = (body) => new Request('http://localhost' + contract.basePath + '/books', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', Authorization: 'Bearer any' },
  body: JSON.stringify(body),
})
const created = await sandbox.fetch(request({ title: 'Emma', author: { name: 'Jane Austen' } }))
const refused = await sandbox.fetch(request({ title: 1 }))
document.title = [created.status, refused.status].join(' ')
`

/** Lists below a parent that nobody created, follows the link to the second page, creates and reads a record. */
const NESTED = `
import { createSandbox } from './script.js'
import { contract } from './contract.js'
const sandbox = createSandbox({ contract })
const send = (method, url, body) => sandbox.fetch(new Request(url, {
  method,
  headers: { 'Content-Type': 'application/json', Authorization: 'Bearer any' },
  ...(body && { body: JSON.stringify(body) }),
}))
const issues = 'http://localhost' + contract.basePath + '/orgs/acme/repos/api/issues'
const first = await send('GET', issues + '?per_page=2')
const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('Link'))[1]
const second = await send('GET', next)
const created = await send('POST', issues, { title: 'Emma' })
const { number } = await created.json()
const found = await send('GET', issues + '/' + number)
const { title } = await found.json()
document.title = [(await first.json()).length, second.status, created.status, title].join(' ')
`

/** A handler of the page changes a record and the answer; another one throws, and changes nothing. */
const HANDLED = `
import { createSandbox } from './script.js'
import { contract } from './contract.js'
const handlers = {
  'GET /books/{bookId}': async ({ params, records, next, reply }) => {
    await records('books').update(params.bookId, { title: 'Emma' })
    return reply(200, { ...(await next()).body, pages: 7 })
  },
  'DELETE /books/{bookId}': async ({ params, records }) => {
    await records('books').remove(params.bookId)
    throw new Error('No.')
  },
}
const sandbox = createSandbox({ contract, handlers, onHandlerMistake: () => {}, records: 1 })
const send = (method, path) => sandbox.fetch(new Request('http://localhost' + contract.basePath + path, {
  method,
  headers: { Authorization: 'Bearer any' },
}))
const [{ id }] = await (await send('GET', '/books')).json()
const read = await (await send('GET', '/books/' + id)).json()
const failed = await send('DELETE', '/books/' + id)
const [kept] = await (await send('GET', '/books')).json()
document.title = [read.title, read.pages, failed.status, kept.title].join(' ')
`

describe('a page with a strict content security policy', () => {
  test('loads a compiled module without a bundler', async () => {
    const title = await titleOf('src/testing/library.yaml', CREATION)

    expect(title).toBe('201 400')
  })

  test('runs handlers, whose changes are made as one', async () => {
    const title = await titleOf('src/testing/library.yaml', HANDLED)

    expect(title).toBe('Emma 7 500 Emma')
  })

  test('has records below parents, as a compiled module describes them', async () => {
    const title = await titleOf('src/testing/guide/examples/code-hosting.yaml', NESTED)

    expect(title).toBe('2 200 201 Emma')
  })
})

/** The title that a script gives to a page in Chromium. The script imports the compiled module of the document in `file`. */
async function titleOf(file: string, script: string): Promise<string> {
  const { code } = compileModule(await loadContract(file), { heading: '', command: '' })
  const { files } = await bundleScript('dist/index.js')
  const server = await servePage({
    html: '<!doctype html><title>A page</title><script type="module" src="page.js"></script>',
    scripts: new Map([...files, ['contract.js', code], ['page.js', script]]),
    policy: "default-src 'none'; script-src 'self'",
  })
  const { page, pageErrors, close } = await openInBrowser(server.origin)
  try {
    await page.waitForFunction(() => document.title !== 'A page', undefined, { timeout: 60_000 })
    expect(pageErrors).toEqual([])
    return await page.title()
  } finally {
    await close()
    server.close()
  }
}
