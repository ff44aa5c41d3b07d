constant char word[] = "kernel";
kernel void search(global int *found, global const char *text, int n) {
    int i = get_global_id(0);
    int k = 0;
    while (k < 6 && i + k < n && text[i + k] == word[k]) k++;
    found[i] = k == 6;
}
