import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startCommand, stopCommands } from './testing/command.ts'

const run = promisify(execFile)

let folder = ''
let installed = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
  // `npm test` has built already, and other tests run what it built.
  const packed = await run('npm', [
    'pack',
    '--json',
    '--ignore-scripts',
    '--pack-destination',
    folder,
  ])
  const [{ filename }]: [{ filename: string }] = JSON.parse(packed.stdout)
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  const quiet = ['--omit=dev', '--prefer-offline', '--no-audit', '--no-fund']
  await run('npm', ['install', ...quiet, join(folder, filename)], { cwd: folder })
  installed = join(folder, 'node_modules/pet-sandbox')
}, 120_000)

afterAll(async () => {
  stopCommands()
  await rm(folder, { recursive: true })
})

async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort()
}

/** What a script prints, run beside the installed package. */
async function print(script: string, type: 'module' | 'commonjs' = 'module'): Promise<string> {
  const { stdout } = await run(process.execPath, [`--input-type=${type}`, '-e', script], {
    cwd: folder,
  })
  return stdout
}

describe('the package', () => {
  test('has what its users need, and nothing else', async () => {
    const files = await filesIn(installed)

    const others = files.filter((file) => !/^dist\/(?:[\w/-]+\.d\.ts|[\w-]+\.js)$/.test(file))
    expect(others).toEqual([
      'LICENSE',
      'README.md',
      'bin/pet-sandbox.js',
      'dist/THIRD-PARTY.txt',
      'openapi.yaml',
      'package.json',
    ])
    expect(files).toEqual(
      expect.arrayContaining(['dist/index.js', 'dist/express.js', 'dist/load.js', 'dist/cli.js']),
    )
    expect(files.filter((file) => /test|specification/.test(file))).toEqual([])
  })

  test('tells nothing of the machine that it was made on', async () => {
    const files = await filesIn(installed)
    const texts = await Promise.all(files.map((file) => readFile(join(installed, file), 'utf8')))

    const telling = files.filter((_, at) => texts[at]?.includes(resolve('.')))

    expect(telling).toEqual([])
  })

  test('brings at most 90 packages', async () => {
    const lock: { packages: object } = JSON.parse(
      await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8'),
    )

    expect(Object.keys(lock.packages).length).toBeLessThanOrEqual(90)
  })
})

describe('its command', () => {
  test('tells its version', async () => {
    const { version }: { version: string } = JSON.parse(await readFile('package.json', 'utf8'))

    const { stdout } = await run('npx', ['--no-install', 'pet-sandbox', '--version'], {
      cwd: folder,
    })

    expect(stdout).toBe(`${version}\n`)
  })

  test('serves the API, and another one as well', async () => {
    const program = ['npx', '--no-install', 'pet-sandbox'] as const
    const options = { cwd: folder, program, env: { npm_config_loglevel: 'error' } }
    const headers = { Authorization: 'Bearer sk_sandbox_free' }

    const pets = await startCommand([], options)
    const library = await startCommand([resolve('src/testing/library.yaml')], options)
    const animals = await fetch(`${pets.base}/pets`, { headers })
    const books = await fetch(`${library.base}/books`, { headers })
    const ended = await Promise.all([pets.stop(), library.stop()])

    expect(await animals.json()).toHaveLength(20)
    expect(await books.json()).toHaveLength(10)
    expect(ended.map(({ stderr }) => stderr)).toEqual(['', ''])
  }, 30_000)
})

describe('its modules', () => {
  test('are imported by their names', async () => {
    const output = await print(`
      import { createSandbox } from 'pet-sandbox'
      import { toExpress } from 'pet-sandbox/express'
      import { loadContract } from 'pet-sandbox/load'
      const contract = await loadContract(${JSON.stringify(resolve('src/testing/library.yaml'))})
      const sandbox = createSandbox({ contract, auth: false })
      const response = await sandbox.fetch(new Request('http://localhost/api/books?limit=3'))
      console.log(response.status, (await response.json()).length, toExpress(sandbox).length)
    `)

    expect(output).toBe('200 3 3\n')
  })

  test('export what they promise', async () => {
    const output = await print(`
      const faces = ['pet-sandbox', 'pet-sandbox/express', 'pet-sandbox/load']
      for (const face of faces) console.log(Object.keys(await import(face)).join())
    `)

    expect(output).toBe('UsageError,createSandbox\ntoExpress\nloadContract\n')
  })

  test('can be required by CommonJS', async () => {
    const output = await print(
      `console.log(typeof require('pet-sandbox').createSandbox, typeof require('pet-sandbox/express').toExpress, typeof require('pet-sandbox/load').loadContract)`,
      'commonjs',
    )

    expect(output).toBe('function function function\n')
  })

  test('have the document beside them', async () => {
    const output = await print(
      `console.log(import.meta.resolve('pet-sandbox/openapi.yaml').split('/').pop())`,
    )

    expect(output).toBe('openapi.yaml\n')
  })
})

const CONSUMER = `
import { createSandbox, type Exchange, type Sandbox, UsageError } from 'pet-sandbox'
import { type Contract, loadContract } from 'pet-sandbox/load'

const contract: Contract = await loadContract('books.yaml')
const sandbox: Sandbox = createSandbox({ contract, plans: { free: { minute: 5, day: 100 } } })
const response: Response = await sandbox.fetch(new Request('http://localhost/v1/pets'))
const told: readonly Exchange[] = sandbox.journal.exchanges
export const result: [number, number, string] = [response.status, told.length, new UsageError('a', 'b').code]
// @ts-expect-error An option that there is not.
createSandbox({ sead: 1 })
`

const EXPRESS_CONSUMER = `
import express from 'express'
import { createSandbox } from 'pet-sandbox'
import { toExpress } from 'pet-sandbox/express'

express().use('/sandbox', toExpress(createSandbox()))
`

describe('its types', () => {
  async function compile(file: string, text: string, ...args: string[]): Promise<string> {
    await writeFile(join(folder, file), text)
    const tsc = resolve('node_modules/typescript/bin/tsc')
    const strict = ['--strict', '--skipLibCheck', 'false', '--noEmit', '--ignoreConfig']
    const target = [
      '--target',
      'es2022',
      '--module',
      'nodenext',
      '--lib',
      'es2023,dom,dom.iterable',
    ]
    const done = run(process.execPath, [tsc, ...strict, ...target, ...args, file], { cwd: folder })

    return done.then(
      ({ stdout }) => stdout,
      ({ stdout }: { stdout: string }) => stdout,
    )
  }

  test('compile strictly, and need the types of no other package', async () => {
    const faults = await compile('consumer.ts', CONSUMER, '--types', '')

    expect(faults).toBe('')
  })

  test('of the Express face compile strictly beside those of Express', async () => {
    // Whoever writes TypeScript for Express has these.
    await mkdir(join(folder, 'node_modules/@types'), { recursive: true })
    for (const name of await readdir('node_modules/@types'))
      await symlink(
        resolve('node_modules/@types', name),
        join(folder, 'node_modules/@types', name),
      ).catch(() => undefined)

    const faults = await compile('express-consumer.ts', EXPRESS_CONSUMER)

    expect(faults).toBe('')
  })
})
