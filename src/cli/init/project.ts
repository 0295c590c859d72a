import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { UsageError } from '../../validation/usage-error.ts'
import { type Page, RUNNERS, type Runner } from './setup-file.ts'

/** The project that `init` works in. */
export interface Project {
  readonly folder: string
  /** All dependencies in package.json, of every kind. */
  readonly packages: ReadonlySet<string>
  readonly isTypeScript: boolean
}

/** Reads the project of a folder. Throws a UsageError when package.json is missing or invalid. */
export async function readProject(folder: string): Promise<Project> {
  const file = join(folder, 'package.json')
  if (!existsSync(file)) {
    throw new UsageError({
      code: 'no_project',
      task: 'set up the project',
      reason: `there is no package.json in ${folder}`,
      help: 'Run this command in the folder of package.json, or run "npm init" first.',
    })
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
    throw new UsageError({
      code: 'invalid_project',
      task: `read ${file}`,
      reason: 'the file is not valid JSON',
      help: 'Correct it first.',
      cause,
    })
  }
}

/** The test runners among the dependencies of the project. */
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

/** The usual folder of static files, if it exists. */
export function detectPublicFolder({ folder }: Project): string | undefined {
  return ['public', 'static'].find((name) => existsSync(join(folder, name)))
}

/** Packages that use Vite. */
const VITE = ['vite', 'astro', 'nuxt', '@sveltejs/kit']

/** The usual names of the entry module of a page, without the extension. */
const ENTRIES = ['src/main', 'src/index', 'src/client', 'app/entry.client', 'main', 'index']

/** The entry module of the project's page, and the expression with which its bundler detects a development build. */
export async function detectPage({ folder, packages }: Project): Promise<Page> {
  const usual = ENTRIES.flatMap((name) =>
    ['tsx', 'ts', 'jsx', 'js', 'mjs'].map((ending) => `${name}.${ending}`),
  )
  const named = [...(await readIfExists(join(folder, 'index.html'))).matchAll(MODULE)].map(
    ([, file = '']) => file,
  )
  const entry = [...named, ...usual].find((file) => existsSync(join(folder, file)))
  const isVite = VITE.some((name) => packages.has(name))

  return {
    entry,
    isDevelopment: isVite ? 'import.meta.env.DEV' : "process.env.NODE_ENV !== 'production'",
  }
}

/** The `src` of a script element, without a leading `./` or `/`. */
const MODULE = /<script\b[^>]*?\ssrc=["']?(?:\.?\/)?([^"'\s>]+)/gi

async function readIfExists(file: string): Promise<string> {
  return existsSync(file) ? readFile(file, 'utf8') : ''
}

/** The worker script of the project's own MSW, because both must have the same version. */
export async function readWorkerScript({ folder }: Project): Promise<string> {
  const { resolve } = createRequire(join(folder, 'package.json'))
  try {
    return await readFile(resolve('msw/mockServiceWorker.js'), 'utf8')
  } catch (cause) {
    throw new UsageError({
      code: 'no_msw',
      task: 'set up the project',
      reason: `msw is not installed in ${folder}`,
      help: 'Run "npm install --save-dev msw" first.',
      cause,
    })
  }
}
