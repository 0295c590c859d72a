import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const FOLDER = '.github'

const document = await readFile(`${FOLDER}/SECURITY.md`, 'utf8')
const claims = rowsIn(document.slice(document.indexOf('## Claims')))

/** The cells of each row of a table, without the header row. */
function rowsIn(text: string): (readonly [claim: string, tests: string])[] {
  return [...text.matchAll(/^\| (.+?) \| (.+) \|$/gm)]
    .map(([, claim = '', tests = '']) => [claim, tests] as const)
    .filter(([claim]) => claim !== 'claim')
}

/** The files that a claim links to, with the test names in quotes after each link. */
function testsByFile(
  tests: string,
): { readonly file: string; readonly titles: readonly string[] }[] {
  return [...tests.matchAll(/\]\(([^)]+)\): ((?:"[^"]+"(?:, )?)+)/g)].map(
    ([, file = '', titles = '']) => ({
      file: join(FOLDER, file),
      titles: [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title),
    }),
  )
}

describe('SECURITY.md names an existing test for the claim:', () => {
  test.each(claims)('%s', async (_claim, tests) => {
    const links = [...tests.matchAll(/\]\(/g)]

    expect(links.length).toBeGreaterThan(0)
    expect(testsByFile(tests)).toHaveLength(links.length)
    for (const { file, titles } of testsByFile(tests)) {
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

test('the guide lists each dependency with a reason', async () => {
  const { dependencies }: Manifest = JSON.parse(await readFile('package.json', 'utf8'))
  const page = await readFile(`${FOLDER}/docs/dependencies.md`, 'utf8')
  const reasons = new Map(
    rowsIn(page).flatMap(([packages, why]) =>
      [...packages.matchAll(/`([^`]+)`/g)].map(([, name = '']) => [name, why]),
    ),
  )

  for (const name of Object.keys(dependencies)) expect(reasons.get(name)).toMatch(/\w{3}/)
})

test('a production install has at most 95 packages, with integrity hashes and without install scripts', async () => {
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8'))
  const installed = Object.entries<Locked>(packages).filter(
    ([path, { dev, peer, devOptional }]) => path !== '' && !(dev || peer || devOptional),
  )

  expect(installed.length).toBeGreaterThan(50)
  expect(installed.length).toBeLessThanOrEqual(95)
  for (const [, { integrity, hasInstallScript }] of installed) {
    expect(integrity).toMatch(/^sha512-/)
    expect(hasInstallScript).toBeUndefined()
  }
})
