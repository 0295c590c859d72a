// Takes the README's picture of the HTML report. Run it after a build: node src/testing/guide/take-picture.mjs
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from 'pet-sandbox/client'
import { chromium } from 'playwright-core'

const PICTURE = '.github/docs/images/report.png'
const BROWSER = process.env.PET_SANDBOX_CHROMIUM ?? '/usr/bin/chromium'
const KEY = 'sk_sandbox_free'

const program = (...args) => [process.execPath, ['bin/pet-sandbox.js', ...args]]
const server = spawn(...program('--port', '0', '--log', 'json', '--plan', 'free=20/1000'))
const [start] = await once(server.stdout, 'data')
const base = JSON.parse(start).listening
const sandbox = createClient(base)

/** Sends a request after some seconds of the sandbox's time. */
async function send(seconds, path, body) {
  await sandbox.clock.advance(`${seconds}s`)
  const headers = { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' }
  const method = body === undefined ? 'GET' : 'POST'
  await fetch(`${base}${path}`, { method, headers, body: JSON.stringify(body) })
}

async function repeat(times, run) {
  for (let time = 0; time < times; time += 1) await run()
}

// A minute of browsing.
await sandbox.clock.set('2027-03-01T12:00:00Z')
await repeat(4, async () => {
  await send(3, '/pets?limit=10&status=available')
  await send(3, '/pets?limit=10&status=sold')
})
await send(4, '/pets', { name: 'Biscuit', categoryId: 2 })
await send(2, '/pets/51')
await send(3, '/pets', { categoryId: 2 })
// A minute in which the client meets the limit, and waits.
await sandbox.clock.set('2027-03-01T12:01:00Z')
await repeat(21, () => send(1, '/pets'))
await send(40, '/pets')
// Retries that do not wait, until the key is banned.
await repeat(36, () => send(1, '/pets?limit=50'))
await sandbox.clock.advanceToBanEnd(KEY)
await repeat(6, () => send(5, '/pets?limit=20'))

const folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
const html = join(folder, 'report.html')
spawnSync(...program('report', base, '--plans', '--html', html))
server.kill()
const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] })
const page = await browser.newPage({ viewport: { width: 1120, height: 912 } })
await page.goto(`file://${html}`)
await page.screenshot({ path: PICTURE })
await browser.close()
await rm(folder, { recursive: true })
