// Takes the pictures of the README and the guide, from the real pages: npm run screenshots
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from 'pet-sandbox/client'
import { chromium } from 'playwright-core'

const FOLDER = '.github/docs/images'
const BROWSER = process.env.PET_SANDBOX_CHROMIUM ?? '/usr/bin/chromium'
const KEY = 'sk_sandbox_free'
const OTHER_KEY = 'sk_sandbox_pro'

const program = (...args) => [process.execPath, ['bin/pet-sandbox.js', ...args]]
const settings = ['--port', '0', '--log', 'json', '--seed', '1', '--plan', 'free=20/1000']
const server = spawn(...program(...settings))
const [start] = await once(server.stdout, 'data')
const base = JSON.parse(start).listening
const { origin } = new URL(base)
const sandbox = createClient(base)
const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] })

/** Sends a request after some seconds of the sandbox's time. */
async function send(seconds, path, body, key = KEY) {
  await sandbox.clock.advance(`${seconds}s`)
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const method = body === undefined ? 'GET' : 'POST'
  await fetch(`${base}${path}`, { method, headers, body: JSON.stringify(body) })
}

async function repeat(times, run) {
  for (let time = 0; time < times; time += 1) await run(time)
}

/** Takes a picture of a view of the dashboard in both color schemes, when all of `texts` are visible. */
async function takeDashboard(name, route, ...texts) {
  for (const colorScheme of ['light', 'dark']) {
    const context = await browser.newContext({
      viewport: { width: 1200, height: 580 },
      colorScheme,
      reducedMotion: 'reduce',
    })
    const page = await context.newPage()
    await page.goto(`${origin}/__sandbox#${route}`)
    for (const text of texts) await page.getByText(text).first().waitFor()
    await page.screenshot({ path: `${FOLDER}/dashboard-${name}-${colorScheme}.png` })
    await context.close()
  }
}

/** Takes the picture of the HTML report. */
async function takeReport() {
  const folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
  const html = join(folder, 'report.html')
  spawnSync(...program('report', base, '--plans', '--html', html))
  const page = await browser.newPage({ viewport: { width: 1120, height: 912 } })
  await page.goto(`file://${html}`)
  await page.screenshot({ path: `${FOLDER}/report.png` })
  await rm(folder, { recursive: true })
}

/** A client that meets the limit, waits, and then retries without waiting, until its key is banned. */
async function useApi() {
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
  // Retries that do not wait.
  await repeat(36, () => send(1, '/pets?limit=50'))
}

await useApi()
await sandbox.clock.advanceToBanEnd(KEY)
await repeat(6, () => send(5, '/pets?limit=20'))
await takeReport()
await takeDashboard('timeline', '/timeline', 'limit: 20')
// The same client, with a second one beside it.
await sandbox.reset()
await useApi()
await repeat(4, (time) => send(1, `/pets/${time + 1}`, undefined, OTHER_KEY))
const [refused] = await sandbox.journal.find({ status: 429 })
await takeDashboard('keys', '/keys', 'It ends in', 'Resets in')
await takeDashboard('traffic', `/traffic/${refused.id}`, 'Why it was refused', 'Quota')
await takeDashboard('operations', '/operations/createPet', 'Send request')
await takeDashboard('records', '/records/pets', 'Biscuit')

await browser.close()
server.kill()
