/** Stands for the `strapi` of a project's configuration: `findOne` of the document service, asked from a server. */
export function documentsOf(address: string): object {
  return {
    documents: (uid: string) => ({
      async findOne({
        documentId,
        locale,
        status = 'draft',
      }: {
        documentId: string;
        locale?: string;
        status?: string;
      }) {
        const name = uid.slice(uid.indexOf('.') + 1);
        const query = new URLSearchParams({ status, ...(locale && { locale }) });
        const response = await fetch(`${address}/api/${name}s/${documentId}?${query}`);
        if (response.status === 404) return null;
        if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
        return ((await response.json()) as { data: object }).data;
      },
    }),
  };
}
