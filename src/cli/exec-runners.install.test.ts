import { symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { runCommand, stopCommands } from '../testing/command.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'

const folder = useTemporaryDirectory()

afterEach(stopCommands)

function suiteWithKey(key: string): string {
  return `
    import { setupServer } from 'msw/node'
    import { handlers } from 'pet-sandbox/msw'
    import { expect, test } from 'vitest'
    test('lists pets', async () => {
      const server = setupServer(...handlers)
      server.listen()
      const headers = { Authorization: 'Bearer ${key}' }
      const { status } = await fetch('https://api.example.com/v1/pets', { headers })
      server.close()
      expect(status).toBe(200)
    })`
}

test('exec reports on all requests of a Vitest suite with MSW handlers, in worker processes and in threads', async () => {
  await symlink(resolve('node_modules'), join(folder(), 'node_modules'))
  const pools = ['forks', 'threads'].map((pool) => ({
    // The package is not installed in this directory.
    resolve: { alias: { 'pet-sandbox/msw': resolve('dist/msw.js') } },
    test: { name: pool, pool, include: ['*.suite.js'] },
  }))
  const config = `export default ${JSON.stringify({ test: { projects: pools, maxWorkers: 2 } })}`
  await writeFile(join(folder(), 'vitest.config.js'), config)
  await writeFile(join(folder(), 'pro.suite.js'), suiteWithKey('sk_sandbox_pro'))
  await writeFile(join(folder(), 'free.suite.js'), suiteWithKey('sk_sandbox_free'))

  const vitest = resolve('node_modules/vitest/vitest.mjs')
  const { stdout, code } = await runCommand(['exec', '--', process.execPath, vitest, 'run'], {
    cwd: folder(),
  })

  expect(stdout).toContain('4 passed')
  expect(stdout).toContain('4 requests in 4 recordings\n')
  expect(stdout.match(/…(?:free|_pro) +listPets +1/g)?.sort()).toEqual([
    expect.stringContaining('…_pro'),
    expect.stringContaining('…_pro'),
    expect.stringContaining('…free'),
    expect.stringContaining('…free'),
  ])
  expect(code).toBe(0)
})
