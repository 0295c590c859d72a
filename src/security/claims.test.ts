import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const FOLDER = '.github'

const document = await readFile(`${FOLDER}/SECURITY.md`, 'utf8')
const claims = rowsIn(document.slice(document.indexOf('## Claims')))

/** What is between the pipes, of each row that is no head. */
function rowsIn(text: string): (readonly [claim: string, tests: string])[] {
  return [...text.matchAll(/^\| (.+?) \| (.+) \|$/gm)]
    .map(([, claim = '', tests = '']) => [claim, tests] as const)
    .filter(([claim]) => claim !== 'claim')
}

/** The files that a claim names, each with the tests in it. */
function named(tests: string): { readonly file: string; readonly titles: readonly string[] }[] {
  return [...tests.matchAll(/\]\(([^)]+)\): ((?:"[^"]+"(?:, )?)+)/g)].map(
    ([, file = '', titles = '']) => ({
      file: join(FOLDER, file),
      titles: [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title),
    }),
  )
}

describe('SECURITY.md names tests that are there, for the claim:', () => {
  test.each(claims)('%s', async (_claim, tests) => {
    const links = [...tests.matchAll(/\]\(/g)]

    expect(links.length).toBeGreaterThan(0)
    expect(named(tests)).toHaveLength(links.length)
    for (const { file, titles } of named(tests)) {
      const text = await readFile(file, 'utf8')
      for (const title of titles) expect(text).toContain(title)
    }
  })
})

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
}

interface Locked {
  readonly dev?: true
  readonly peer?: true
  readonly devOptional?: true
  readonly hasInstallScript?: true
  readonly integrity?: string
}

test('the guide names each dependency and gives its reason', async () => {
  const { dependencies }: Manifest = JSON.parse(await readFile('package.json', 'utf8'))
  const page = await readFile(`${FOLDER}/docs/dependencies.md`, 'utf8')
  const reasons = new Map(
    rowsIn(page).flatMap(([packages, why]) =>
      [...packages.matchAll(/`([^`]+)`/g)].map(([, name = '']) => [name, why]),
    ),
  )

  for (const name of Object.keys(dependencies)) expect(reasons.get(name)).toMatch(/\w{3}/)
})

test('a production install is of 90 packages at most, held to their content, and runs no script', async () => {
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8'))
  const installed = Object.entries<Locked>(packages).filter(
    ([path, { dev, peer, devOptional }]) => path !== '' && !(dev || peer || devOptional),
  )

  expect(installed.length).toBeGreaterThan(50)
  expect(installed.length).toBeLessThanOrEqual(90)
  for (const [, { integrity, hasInstallScript }] of installed) {
    expect(integrity).toMatch(/^sha512-/)
    expect(hasInstallScript).toBeUndefined()
  }
})
