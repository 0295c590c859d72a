import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, request, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startCommand } from '../command.ts'
import { accessibilityProblems, type OpenedDashboard, openDashboardOf } from './dashboard.ts'
import { OPERATION_DOCUMENT } from './operation-document.ts'

const MEGABYTE = 1_000_000

/** What is answered to `/tickets/NAME`, instead of what the sandbox answers. */
const ANSWERS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  large: async (response) => {
    for (let count = 0; count < 50 && !response.closed; count += 1) {
      response.write('x'.repeat(MEGABYTE))
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    response.end()
  },
  binary: (response) => {
    response.setHeader('Content-Type', 'application/octet-stream')
    response.end(Buffer.from([0x89, 0x50, 0xff, 0x00, 0xc0]))
  },
  endless: (response) => {
    response.setHeader('Content-Type', 'text/event-stream')
    const timer = setInterval(() => response.write('data: <b>tick</b>\n\n'), 20)
    response.on('close', () => clearInterval(timer))
  },
}

describe('the response to a request of the dashboard', () => {
  let dashboard: OpenedDashboard
  let directory: string

  const response = () => dashboard.page.getByRole('region', { name: 'Response', exact: true })
  const send = async (id: string): Promise<void> => {
    await dashboard.page.getByLabel('id *').fill(id)
    await dashboard.page.getByRole('button', { name: 'Send request' }).click()
  }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
    const file = join(directory, 'api.json')
    await writeFile(file, JSON.stringify(OPERATION_DOCUMENT))
    const command = await startCommand(['serve', file, '--log', 'json'])
    const proxy = createServer((incoming, outgoing) => {
      const [, name = ''] = /\/tickets\/(\w+)/.exec(incoming.url ?? '') ?? []
      const answer = ANSWERS[name]
      if (answer) return answer(outgoing)
      const { method, headers, url } = incoming
      const upstream = request(
        new URL(command.base).origin + url,
        { method, headers },
        (answered) => {
          outgoing.writeHead(answered.statusCode ?? 502, answered.headers)
          answered.pipe(outgoing)
        },
      )
      upstream.on('error', () => outgoing.destroy())
      outgoing.on('close', () => upstream.destroy())
      return incoming.pipe(upstream)
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const address = proxy.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const base = `http://127.0.0.1:${port}${new URL(command.base).pathname}`
    const stop = async () => {
      proxy.closeAllConnections()
      proxy.close()
      return command.stop()
    }
    dashboard = await openDashboardOf({ base, stop }, '/operations/findTickets')
  })
  afterAll(async () => {
    await dashboard.close()
    await rm(directory, { recursive: true })
  })

  test('of 50 MB is read and shown in part', async () => {
    await send('large')
    await response().getByText('Only the beginning is shown.').waitFor()

    const [, bytes = ''] = /([\d,]+) bytes/.exec(await response().innerText()) ?? []
    expect(Number(bytes.replaceAll(',', ''))).toBeLessThan(5 * MEGABYTE)
    const shown = await response().locator('.code-text').innerText()
    expect(shown.length).toBeLessThan(210_000)
  })

  test('of bytes says that it is not text', async () => {
    await send('binary')
    await response().getByText('The body is not text.').waitFor()
    await response().getByText('5 bytes').waitFor()
  })

  test('without an end is shown while it comes, as text, until somebody stops waiting', async () => {
    const { page } = dashboard
    await send('endless')
    await response().getByText('data: <b>tick</b>').first().waitFor()
    await page.getByRole('button', { name: 'Stop waiting' }).click()

    await response().getByText('Only the beginning is shown.').waitFor()
    await page.getByRole('button', { name: 'Stop waiting' }).waitFor({ state: 'detached' })
    expect(await accessibilityProblems(page)).toEqual([])
    expect(dashboard.pageErrors).toEqual([])
  })
})
