import type { Checks } from './checks.ts';
export async function checkNuxt(_folder: string, _scratch: string, _checks: Checks): Promise<void> {}
