import express from 'express'
import { afterEach, describe, expect, test } from 'vitest'
import { contract } from '../generated/contract.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { connectToBrowser } from '../testing/browser.ts'
import { serveHttp, stopServers } from '../testing/servers.ts'
import { toExpress } from './express.ts'

afterEach(stopServers)

describe('a page of another origin, in Chromium', () => {
  test('can send any header with credentials, and read every header that the document declares', async () => {
    const responseHeaders = ['X-Total-Count', 'ETag']
    const sandbox = createSandbox({ contract: { ...contract, responseHeaders } })
    const app = express().use((_request, response, next) => {
      response.setHeader('X-Total-Count', '50').setHeader('ETag', '"one"').setHeader('X-Other', '1')
      next()
    })
    const api = await serveHttp(app.use(toExpress(sandbox)))
    const shop = await serveHttp((_request, response) => response.end('<!doctype html>'))
    const browser = await connectToBrowser()
    const page = await browser.newPage()
    await page.goto(shop.origin)

    const results = await page.evaluate(async (address) => {
      const headers = {
        Authorization: 'Bearer sk_sandbox_free',
        'X-Request-Id': '7',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        'X-Requested-With': 'XMLHttpRequest',
      }
      const listed = await fetch(address, { headers, credentials: 'include' })
      const refused = await fetch(`${address}/1`, { credentials: 'include' })
      const names = ['X-Total-Count', 'ETag', 'X-RateLimit-Remaining', 'X-Other']
      const removed = fetch(address, { method: 'DELETE', headers, credentials: 'include' })

      return {
        statuses: [listed.status, refused.status],
        read: names.map((name) => listed.headers.get(name)),
        removed: await removed.catch(String),
      }
    }, `${api.origin}/v1/pets`)
    await browser.close()

    expect(results).toEqual({
      statuses: [200, 401],
      read: ['50', '"one"', '59', null],
      removed: 'TypeError: Failed to fetch',
    })
    expect(sandbox.journal.exchanges.at(-1)).toMatchObject({
      status: 204,
      preflight: { origin: shop.origin, method: 'DELETE' },
      refusal: { code: 'method_not_allowed' },
    })
  })
})
