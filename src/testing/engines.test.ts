import { readFile } from 'node:fs/promises'
import { minVersion, Range, satisfies } from 'semver'
import { expect, it } from 'vitest'

interface LockedPackage {
  readonly engines?: { readonly node?: string }
  readonly optional?: boolean
}

it('all packages that "npm ci" installs accept every Node version that this package supports', async () => {
  const lock: { packages: Record<string, LockedPackage> } = JSON.parse(
    await readFile('package-lock.json', 'utf8'),
  )
  const supported = lock.packages['']?.engines?.node ?? ''
  const oldest = supported.split('||').map((range) => minVersion(new Range(range))?.version ?? '')

  const warnings = Object.entries(lock.packages).flatMap(([path, { engines, optional }]) =>
    oldest
      .filter((version) => !optional && !satisfies(version, engines?.node ?? '*'))
      .map((version) => `${path} needs Node ${engines?.node}, not ${version}`),
  )

  expect(oldest).toEqual(['20.19.0', '22.13.0', '24.0.0'])
  expect(warnings).toEqual([])
})
