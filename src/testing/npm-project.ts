import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'

/** What a project has. */
export interface ProjectParts {
  readonly packages?: readonly string[]
  readonly files?: Readonly<Record<string, string>>
  /** Packages to link into node_modules. Default: msw. */
  readonly installed?: readonly string[]
  /** Folders to link into node_modules, by their names there. */
  readonly linked?: Readonly<Record<string, string>>
  /** Whether its JavaScript files are CommonJS. Default: they are modules. */
  readonly isCommonJs?: boolean
}

/** Creates a project with these packages in package.json, and these files, for the test that calls it. */
export async function createProject(parts: ProjectParts = {}): Promise<string> {
  const { packages = ['vitest'], files = {}, installed = ['msw'], linked = {} } = parts
  const folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-project-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const devDependencies = Object.fromEntries(packages.map((name) => [name, '*']))
  const type = parts.isCommonJs ? {} : { type: 'module' }
  const manifest = JSON.stringify({ private: true, ...type, devDependencies })
  for (const [file, text] of Object.entries({ 'package.json': manifest, ...files })) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), text)
  }
  await mkdir(join(folder, 'node_modules'))
  for (const name of installed) {
    const target = name === 'pet-sandbox' ? resolve('.') : resolve('node_modules', name)
    await mkdir(dirname(join(folder, 'node_modules', name)), { recursive: true })
    await symlink(target, join(folder, 'node_modules', name))
  }
  for (const [name, target] of Object.entries(linked))
    await symlink(target, join(folder, 'node_modules', name))
  return folder
}
