import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type CommandResult, runCommand } from '../testing/command.ts'

const VULNERABLE = {
  id: 1,
  url: 'https://advisories.example/1',
  title: 'Serves cats as dogs',
  severity: 'high',
  vulnerable_versions: '>=5',
  cwe: [],
  cvss: { score: 0, vectorString: null },
}

let registry: Server | undefined

afterEach(() => registry?.close())

/** Runs the audit against a registry with this response. The registry has no packages. */
async function audit(status: number, advisories: unknown): Promise<CommandResult> {
  registry = createServer(({ url }, response) => {
    // npm 10 sends a second request to another path.
    const isAudit = url?.startsWith('/-/npm/v1/security/')
    response.writeHead(isAudit ? status : 404, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(isAudit ? advisories : {}))
  }).listen(0, '127.0.0.1')
  await once(registry, 'listening')
  const { port } = registry.address() as AddressInfo
  const options = ['--registry', `http://127.0.0.1:${port}`, '--fetch-retries', '0']

  return await runCommand(options, { program: [process.execPath, '.config/audit.mjs'] })
}

describe('the audit of dependencies', () => {
  it('passes when no vulnerability is known', async () => {
    const { code, stdout } = await audit(200, {})

    expect(code).toBe(0)
    expect(stdout).toMatch(/^0 of \d\d packages are vulnerable\.\n$/)
  })

  it('fails on a vulnerable package and names it', async () => {
    const { code, stderr } = await audit(200, { express: [VULNERABLE] })

    expect(code).toBe(1)
    expect(stderr).toContain(
      'express, high: Serves cats as dogs (>=5, https://advisories.example/1)',
    )
  })

  it('passes with a message when the registry does not support audits', async () => {
    const { code, stderr } = await audit(405, {})

    expect(code).toBe(0)
    expect(stderr).toMatch(/^Not audited: 405 Method Not Allowed/)
  })

  it('fails when the registry fails', async () => {
    const { code, stderr } = await audit(500, {})

    expect(code).toBe(1)
    expect(stderr).toContain('Not audited')
  })
})
