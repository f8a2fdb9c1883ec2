module github.com/rowcast/rowcast

go 1.25
