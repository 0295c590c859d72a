import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { UsageError } from '../../usage-error.ts'
import { RUNNERS, type Runner } from './set-up.ts'

/** What `init` knows of the project that it works in. */
export interface Project {
  readonly folder: string
  /** The packages that its package.json names, of every kind. */
  readonly packages: ReadonlySet<string>
  readonly isTypeScript: boolean
}

/** The project of a folder. Throws a UsageError when there is none, or its package.json cannot be read. */
export async function readProject(folder: string): Promise<Project> {
  const file = join(folder, 'package.json')
  if (!existsSync(file)) {
    throw new UsageError(
      'no_project',
      `Cannot set up a project: there is no package.json in ${folder}. Run this where it is, or "npm init" first.`,
    )
  }
  const { dependencies, devDependencies, peerDependencies } = await readJson(file)
  const packages = new Set(
    [dependencies, devDependencies, peerDependencies].flatMap((some) => Object.keys(some ?? {})),
  )
  const isTypeScript = packages.has('typescript') || existsSync(join(folder, 'tsconfig.json'))

  return { folder, packages, isTypeScript }
}

async function readJson(file: string): Promise<Readonly<Record<string, object | undefined>>> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (cause) {
    throw new UsageError(
      'invalid_project',
      `Cannot read ${file}: it is no JSON. Put it right first.`,
      { cause },
    )
  }
}

/** The runners that the project has. */
export function detectRunners({ packages }: Project): Runner[] {
  const markers: Readonly<Record<Runner, readonly string[]>> = {
    vitest: ['vitest'],
    jest: ['jest'],
    playwright: ['@playwright/test'],
    storybook: ['storybook'],
    browser: [],
  }
  return RUNNERS.filter((runner) => markers[runner].some((name) => packages.has(name)))
}

/** The folder that the project's pages are served from, of those that are usual. */
export function detectPublicFolder({ folder }: Project): string | undefined {
  return ['public', 'static'].find((name) => existsSync(join(folder, name)))
}

/** The worker script of the project's own MSW: it must be of the same version as what talks to it. */
export async function readWorkerScript({ folder }: Project): Promise<string> {
  const { resolve } = createRequire(join(folder, 'package.json'))
  try {
    return await readFile(resolve('msw/mockServiceWorker.js'), 'utf8')
  } catch (cause) {
    throw new UsageError(
      'no_msw',
      `Cannot set up a project: msw is not installed in ${folder}. Run "npm install --save-dev msw" first.`,
      { cause },
    )
  }
}
