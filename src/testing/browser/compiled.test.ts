import { describe, expect, test } from 'vitest'
import { compileModule } from '../../codegen/compiled-module.ts'
import { loadContract } from '../../document/load-contract.ts'
import { findBrowser } from '../browser.ts'
import { openInBrowser, servePage } from '../page-server.ts'
import { bundleScript } from '../site.ts'

const PAGE = `
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

describe.skipIf(!findBrowser())('a page with a strict content security policy', () => {
  test('loads a compiled module without a bundler', async () => {
    const { code } = compileModule(await loadContract('src/testing/library.yaml'), [])
    const { files } = await bundleScript('dist/index.js')
    const server = await servePage({
      html: '<!doctype html><title>A page</title><script type="module" src="page.js"></script>',
      scripts: new Map([...files, ['contract.js', code], ['page.js', PAGE]]),
      policy: "default-src 'none'; script-src 'self'",
    })
    const { page, pageErrors, close } = await openInBrowser(server.origin)

    await page.waitForFunction(() => document.title !== 'A page', undefined, { timeout: 8000 })

    expect(await page.title()).toBe('201 400')
    expect(pageErrors).toEqual([])
    await close()
    server.close()
  })
})
