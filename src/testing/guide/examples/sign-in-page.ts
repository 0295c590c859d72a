import type { Page } from 'playwright-core'

/** Signs in on the page of the sandbox, as the user with this name. */
export async function signInAs(page: Page, name: string): Promise<void> {
  await page.getByRole('radio', { name }).check()
  await page.getByRole('button', { name: 'Allow' }).click()
}
